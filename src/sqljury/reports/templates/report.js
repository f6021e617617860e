// The views of the report. Text of cases only ever becomes text nodes, never markup.
(function () {
  "use strict";
  var data = JSON.parse(document.getElementById("data").textContent);
  var judges = data.report.judges, cases = data.cases;
  var views = { overview: byId("overview"), cases: byId("cases"), case: byId("case") };
  var filters = {};
  ["judge", "outcome", "cause", "db", "system", "right", "wrong", "difficulty", "feature", "label", "sort", "q", "split"]
    .forEach(function (name) { filters[name] = byId(name); });
  var PAGE = 200, visible = [], drawn = 0, place = -1, texts = null;
  // The pages of each question, by system.
  var answers = new Map();
  cases.forEach(function (page, i) {
    if (!answers.has(page.asked)) answers.set(page.asked, new Map());
    answers.get(page.asked).set(page.system, i);
  });
  var reportTitle = document.title;

  function byId(id) { return document.getElementById(id); }

  // make("p", {class: "quiet"}, "text", node, …)
  function make(name, attributes) {
    var element = document.createElement(name);
    Object.keys(attributes || {}).forEach(function (key) {
      if (attributes[key] !== null) element.setAttribute(key, attributes[key]);
    });
    for (var i = 2; i < arguments.length; i++) {
      [].concat(arguments[i]).forEach(function (child) {
        if (child !== null && child !== undefined) element.append(child);
      });
    }
    return element;
  }

  function number(value) { return value.toLocaleString("en-US"); }

  function plural(count, noun) { return number(count) + " " + noun + (count === 1 ? "" : "s"); }

  function chip(outcome, times) {
    return make("span", { class: "chip" }, make("span", { class: "swatch o-" + outcome }),
      outcome + (times > 1 ? " ×" + times : ""));
  }

  // ------------------------------------------------------------ routes

  function route() {
    var hash = location.hash.replace(/^#\/?/, "");
    var parts = hash.split("?"), path = parts[0].split("/");
    if (path[0] === "cases") showCases(new URLSearchParams(parts[1] || ""));
    else if (path[0] === "case" && numberOf(path[1]) >= 0) showCase(numberOf(path[1]));
    else if (hash === "main") return;
    else show("overview", reportTitle);
  }

  // Links name a case by its id; by its number they hold for one report only.
  function numberOf(part) {
    var id = decodeURIComponent(part || "");
    var i = cases.findIndex(function (page) { return page.id === id; });
    return i < 0 && cases[part - 1] ? part - 1 : i;
  }

  function link(i) { return "#/case/" + encodeURIComponent(cases[i].id); }

  function show(view, title) {
    Object.keys(views).forEach(function (name) { views[name].hidden = name !== view; });
    document.querySelectorAll("nav a[data-view]").forEach(function (link) {
      var here = link.dataset.view === view || (view === "case" && link.dataset.view === "cases");
      if (here) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    });
    document.title = title;
  }

  // ------------------------------------------------------------ the list

  function showCases(query) {
    Object.keys(filters).forEach(function (name) {
      if (name === "split") filters[name].checked = query.get(name) === "1";
      else filters[name].value = query.get(name) || "";
    });
    select();
    show("cases", "Cases · " + reportTitle);
    if (place >= 0) focusCase(visible.indexOf(place));
    else window.scrollTo(0, 0);
  }

  function address() {
    var query = new URLSearchParams();
    Object.keys(filters).forEach(function (name) {
      var value = name === "split" ? (filters.split.checked ? "1" : "") : filters[name].value.trim();
      if (value) query.set(name, value);
    });
    var text = query.toString();
    return "#/cases" + (text ? "?" + text : "");
  }

  function select() {
    var outcome = filters.outcome.value, db = filters.db.value;
    var words = filters.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    visible = [];
    cases.forEach(function (page, i) {
      var asked = asking(page);
      if (!asked.length || (db && page.db !== db)) return;
      if (outcome && !asked.some(function (v) { return matches(v.outcome, outcome); })) return;
      if (filters.cause.value && !asked.some(function (v) { return v.cause === filters.cause.value; })) return;
      if (filters.label.value && !asked.some(function (v) { return (v.labels || []).includes(filters.label.value); })) return;
      if (filters.system.value && page.system !== filters.system.value) return;
      if (filters.difficulty.value && page.difficulty !== filters.difficulty.value) return;
      if (filters.feature.value && !page.features.includes(filters.feature.value)) return;
      if (!apart(page)) return;
      if (filters.split.checked && new Set(page.verdicts.map(function (v) { return v.outcome; })).size < 2) return;
      if (words.length && !words.every(function (word) { return text(i).includes(word); })) return;
      visible.push(i);
    });
    visible.sort(ORDERS[filters.sort.value] || function () { return 0; });
    drawn = 0;
    byId("list").replaceChildren();
    byId("found").textContent = plural(visible.length, "case") +
      (visible.length === cases.length ? "" : " of " + number(cases.length));
    draw(PAGE);
  }

  // The verdicts of the judge that is asked for.
  function asking(page) {
    var judge = filters.judge.value;
    return judge === "" ? page.verdicts : page.verdicts.filter(function (v) { return v.judge === +judge; });
  }

  // Whether one system is right and another wrong about the page's question, where that is asked for.
  function apart(page) {
    var right = filters.right.value, wrong = filters.wrong.value;
    if (!right && !wrong) return true;
    if (page.system !== (wrong || right)) return false;
    return (!right || saysOf(page, right, true)) && (!wrong || saysOf(page, wrong, false));
  }

  function saysOf(page, system, correct) {
    var i = answers.get(page.asked).get(system);
    return i !== undefined && asking(cases[i]).every(function (v) {
      return correct ? v.outcome === "correct" : matches(v.outcome, "!");
    });
  }

  function first(page) { return asking(page)[0] || {}; }

  function by(value) {
    return function (a, b) {
      var one = value(cases[a]), other = value(cases[b]);
      return one < other ? -1 : one > other ? 1 : a - b;
    };
  }

  var ORDERS = {
    score: by(function (page) { return first(page).score === undefined ? -1 : first(page).score; }),
    cause: by(function (page) { return first(page).cause || "\uffff"; }),
    outcome: by(function (page) { return Object.keys(data.report.tones).indexOf(first(page).outcome); }),
    db: by(function (page) { return page.db; }),
    question: by(function (page) { return page.question || ""; })
  };

  function matches(outcome, wanted) {
    return wanted === "!" ? data.report.tones[outcome] === "bad" || data.report.tones[outcome] === "unsure" : outcome === wanted;
  }

  function text(i) {
    if (!texts) {
      texts = cases.map(function (page) {
        return [page.id, page.question, page.db, page.prediction || ""].concat(page.references, page.differences,
          Object.values(page.facts), page.verdicts.map(function (v) { return [v.reason || "", v.cause || ""].concat(v.lines || [], (v.weighed || []).map(function (one) { return one[0]; })).join("\n"); }))
          .join("\n").toLowerCase();
      });
    }
    return texts[i];
  }

  function draw(count) {
    var rows = visible.slice(drawn, drawn + count).map(function (i) {
      var page = cases[i];
      return make("li", {}, make("a", { href: link(i), "data-case": i },
        make("span", { class: "who" }, page.id, make("br"), page.db),
        make("span", { class: "what" }, page.question || page.prediction || "(no question)",
          why(page), sides(page)),
        make("span", { class: "chips" }, chips(page))));
    });
    byId("list").append.apply(byId("list"), rows);
    drawn += rows.length;
    byId("more").hidden = drawn >= visible.length;
  }

  // The cause of the first verdict that is not correct, and what the queries or rows show of it.
  function why(page) {
    var wrong = asking(page).filter(function (v) { return v.cause; })[0];
    if (!wrong) return null;
    return make("span", { class: "why" }, make("b", {}, wrong.cause), " · ", page.differences[0] || wrong.reason || "");
  }

  function sides(page) {
    return [["\u2212", page.references[0]], ["+", page.prediction]].map(function (side) {
      return side[1] ? make("code", { class: "short" }, side[0] + " " + side[1].replace(/\s+/g, " ")) : null;
    });
  }

  function chips(page) {
    var counts = new Map();
    page.verdicts.forEach(function (v) {
      if (filters.judge.value === "" || v.judge === +filters.judge.value) {
        counts.set(v.outcome, (counts.get(v.outcome) || 0) + 1);
      }
    });
    return Array.from(counts, function (entry) { return chip(entry[0], entry[1]); });
  }

  function focusCase(position) {
    if (position < 0 || position >= visible.length) return;
    while (drawn <= position) draw(PAGE);
    byId("list").children[position].firstChild.focus();
  }

  // ------------------------------------------------------------ one case

  function showCase(i) {
    var page = cases[i];
    place = i;
    views.case.replaceChildren(
      pager(i),
      make("h1", { id: "case-title" }, page.question || page.id),
      facts(page),
      make("h2", {}, "Verdicts"), verdicts(page),
      make("h2", {}, "Queries"), queries(page), inWords(page)
    );
    others(i).forEach(function (node) { views.case.append(node); });
    reasons(page).forEach(function (node) { views.case.append(node); });
    views.case.append(written(page));
    show("case", page.id + " · " + reportTitle);
    byId("main").focus({ preventScroll: true });
    window.scrollTo(0, 0);
  }

  function neighbour(i, step) {
    var position = visible.indexOf(i);
    var next = position < 0 ? i + step : visible[position + step];
    return next === undefined || !cases[next] ? null : next;
  }

  function pager(i) {
    function step(by, label) {
      var next = neighbour(i, by);
      return next === null ? null : make("a", { href: link(next) }, label);
    }
    var position = visible.indexOf(i);
    return make("nav", { class: "pager", "aria-label": "Cases" },
      make("a", { href: address() }, "All cases"), step(-1, "Previous"), step(1, "Next"),
      make("span", { class: "place" }, number((position < 0 ? i : position) + 1) + " of " +
        number(position < 0 ? cases.length : visible.length)));
  }

  function facts(page) {
    var list = make("dl", { class: "facts" }, make("dt", {}, "case"), make("dd", {}, page.id));
    Object.keys(page.facts).forEach(function (name) {
      list.append(make("dt", {}, name), make("dd", {}, page.facts[name]));
    });
    return list;
  }

  function verdicts(page) {
    var head = ["Judge", "Outcome", "Score", "Reason"].map(function (name) {
      return make("th", { scope: "col", class: name === "Score" ? "number" : null }, name);
    });
    var rows = page.verdicts.map(function (v) {
      var notes = (v.labels || []).map(function (label) {
        return make("a", { href: "#/cases?" + new URLSearchParams({ label: label }) }, label);
      }).concat(Object.entries(v.measures || {}).map(function (entry) {
        return entry[0] + " " + round(entry[1]);
      }));
      return make("tr", {}, make("th", { scope: "row" }, judges[v.judge]),
        make("td", { class: "outcome" }, chip(v.outcome, 1)),
        make("td", { class: "number" }, v.score === undefined ? "–" : round(v.score)),
        make("td", { class: "reason" }, v.cause ? make("b", {}, v.cause + (v.reason ? " · " : "")) : null, v.reason || "",
          v.weighed ? weighed(v.weighed) : null,
          notes.length ? make("div", { class: "quiet" }, notes.flatMap(function (note, i) { return i ? [", ", note] : [note]; })) : null));
    });
    return make("table", { class: "judged" }, make("thead", {}, make("tr", {}, head)), make("tbody", {}, rows));
  }

  // What speaks for a prediction (bars to the right) and against it (to the left).
  function weighed(found) {
    var largest = Math.max.apply(null, [1].concat(found.map(function (one) { return Math.abs(one[1]); })));
    var rows = found.map(function (one) {
      var bar = make("i", { style: "width: " + 50 * Math.abs(one[1]) / largest + "%" });
      return make("li", { class: one[1] > 0 ? "for" : "against" }, make("span", { class: "bar" }, bar),
        make("span", { class: "number" }, (one[1] > 0 ? "+" : "\u2212") + Math.abs(one[1]).toFixed(2)),
        make("span", {}, one[0]));
    });
    return make("div", {}, make("ul", { class: "weighed" }, rows), make("p", { class: "quiet" }, data.report.weighed));
  }

  function round(value) { return String(Math.round(value * 10000) / 10000); }

  function queries(page) {
    if (page.diff) return diff(page.diff);
    var title = page.no_prediction || "Prediction";
    return make("div", {}, make("p", {}, title),
      page.laid_out && page.no_prediction ? make("p", { class: "quiet" }, "Reference") : null,
      page.laid_out ? make("pre", {}, coloured(page.laid_out)) : null);
  }

  function inWords(page) {
    return make("ul", { class: "lines words" }, page.differences.map(function (words) { return make("li", {}, words); }));
  }

  // The same question by the other systems.
  function others(i) {
    var page = cases[i], nodes = [];
    answers.get(page.asked).forEach(function (other, system) {
      if (other === i) return;
      var found = cases[other];
      nodes.push(make("details", { class: "other" },
        make("summary", {}, make("b", {}, system || found.id), " ", chips(found)),
        make("p", { class: "quiet" }, make("a", { href: link(other) }, "Open"), why(found)),
        found.prediction === undefined ? null : code("Prediction", found.prediction)));
    });
    return nodes.length ? [make("h2", {}, "Other systems")].concat(nodes) : [];
  }

  function code(title, text) {
    return make("div", {}, make("p", { class: "quiet copying" }, title, make("button", { type: "button", class: "copy" }, "Copy")),
      make("pre", {}, coloured(text)));
  }

  function diff(lines) {
    var grid = make("div", { class: "diff" },
      make("div", { class: "head" }, "Reference"), make("div", { class: "head" }, "Prediction"));
    lines.forEach(function (line, i) {
      var differs = line[0] === null || line[1] === null || line[0].length > 1 || line[1].length > 1;
      var last = i === lines.length - 1 ? " last" : "";
      var kinds = !differs ? ["", " twin"] : renamed(line) ? [" renamed", " renamed twin"] : [" minus", " plus"];
      grid.append(side(line[0], kinds[0], last), side(line[1], kinds[1], last));
    });
    return grid;
  }

  // Whether two lines differ in names of tables, or in what is the default, only.
  var RENAMED = /^\s*(AS\s+\w+|\w+\.|ASC)?\s*$/i;

  function renamed(line) {
    return line.every(function (segments) {
      return segments !== null && segments.every(function (segment, i) { return i % 2 === 0 || RENAMED.test(segment); });
    });
  }

  function side(segments, kind, last) {
    if (segments === null) return make("div", { class: "sql gap" + last });
    return make("div", { class: "sql" + kind + last }, segments.map(function (segment, i) {
      return i % 2 ? make("mark", {}, coloured(segment)) : make("span", {}, coloured(segment));
    }));
  }

  var KEYWORD = /('(?:[^']|'')*'?)|\b(SELECT|DISTINCT|FROM|WHERE|AND|OR|NOT|IN|AS|ON|JOIN|LEFT|RIGHT|FULL|INNER|OUTER|CROSS|GROUP|ORDER|BY|HAVING|LIMIT|OFFSET|UNION|ALL|INTERSECT|EXCEPT|CASE|WHEN|THEN|ELSE|END|IS|NULL|LIKE|BETWEEN|EXISTS|WITH|ASC|DESC|OVER|PARTITION)\b/g;

  function coloured(sql) {
    var nodes = [], from = 0, found;
    KEYWORD.lastIndex = 0;
    while ((found = KEYWORD.exec(sql))) {
      if (!found[2]) continue;
      nodes.push(sql.slice(from, found.index), make("span", { class: "keyword" }, found[2]));
      from = KEYWORD.lastIndex;
    }
    nodes.push(sql.slice(from));
    return nodes;
  }

  // What judges found, those that found the same together.
  function reasons(page) {
    var groups = new Map();
    page.verdicts.forEach(function (v) {
      var key = JSON.stringify([v.reason, v.lines, v.tables, v.other]);
      if (!v.lines && v.tables === undefined && !v.other) return;
      if (!groups.has(key)) groups.set(key, { verdict: v, judges: [] });
      groups.get(key).judges.push(judges[v.judge]);
    });
    var nodes = [];
    groups.forEach(function (group) {
      var v = group.verdict;
      nodes.push(make("h2", {}, v.lines || v.tables !== undefined ? "What differs" : "Evidence"));
      nodes.push(make("p", { class: "quiet by" }, "by " + group.judges.join(", ")));
      var lines = [v.reason].concat(v.lines || []).filter(Boolean);
      nodes.push(make("ul", { class: "lines" }, lines.map(function (line) { return make("li", {}, line); })));
      if (v.tables !== undefined) {
        var both = page.tables[v.tables];
        nodes.push(make("div", { class: "pair" }, table("Reference", both[0], "minus"), table("Prediction", both[1], "plus")));
      }
      if (v.other) nodes.push(other(v.other));
    });
    return nodes;
  }

  function table(title, content, kind) {
    var numeric = new Set(content.numeric);
    var head = make("tr", {}, make("th", { scope: "col", class: "index" }, make("span", { class: "visually-hidden" }, "Row")),
      content.columns.map(function (name, i) {
        return make("th", { scope: "col", class: numeric.has(i) ? "number" : null }, name);
      }));
    var rows = content.rows.map(function (row) {
      var off = new Set(row[2]);
      var note = row[1] ? make("span", { class: "visually-hidden" }, " differs") : null;
      return make("tr", { class: row[1] ? kind : null }, make("th", { scope: "row", class: "index" }, number(row[0]), note),
        row[3].map(function (cell, i) {
          var names = (numeric.has(i) ? "number" : "") + (off.has(i) ? " off" : "");
          return make("td", { class: names || null }, cell === null ? make("span", { class: "null" }, "NULL") : cell);
        }));
    });
    var hidden = content.count - content.rows.length, notes = [];
    if (hidden > 0) notes.push(plural(hidden, "more row") + (content.hidden_differing ? " (" + number(content.hidden_differing) + " differing)" : ""));
    if (content.hidden_columns) notes.push(plural(content.hidden_columns, "more column"));
    return make("div", {}, make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
      make("table", { class: "rows" },
        make("caption", {}, title + ": " + plural(content.count, "row")), make("thead", {}, head), make("tbody", {}, rows))),
      notes.length ? make("p", { class: "quiet" }, "and " + notes.join(", ")) : null);
  }

  function other(entries) {
    var list = make("dl", { class: "facts" });
    entries.forEach(function (entry) {
      list.append(make("dt", {}, entry[0]), make("dd", {}, typeof entry[1] === "string" ?
        make("code", {}, entry[1]) : answer(entry[1])));
    });
    return list;
  }

  // What a model answered, part by part.
  function answer(parts) {
    var list = make("dl", { class: "facts answer" });
    parts.forEach(function (part) { list.append(make("dt", {}, part[0]), make("dd", {}, part[1])); });
    return list;
  }

  function written(page) {
    var box = make("details", { class: "written" }, make("summary", {}, "As written"));
    page.references.forEach(function (sql, i) {
      box.append(code(page.references.length > 1 ? "Reference " + (i + 1) : "Reference", sql));
    });
    if (page.prediction !== undefined) box.append(code("Prediction", page.prediction));
    if (page.references.length > 1) box.open = true;
    return box;
  }

  // ------------------------------------------------------------ controls

  function options(element, entries) {
    entries.forEach(function (entry) { element.append(make("option", { value: entry[0] }, entry[1])); });
  }

  var found = new Set();
  cases.forEach(function (page) {
    page.verdicts.forEach(function (v) { found.add(v.outcome); });
  });

  // One entry for each value that pages have; a filter with a single one tells nothing apart.
  function filterBy(name, values) {
    var counts = new Map();
    cases.forEach(function (page) {
      new Set(values(page)).forEach(function (value) { if (value) counts.set(value, (counts.get(value) || 0) + 1); });
    });
    options(filters[name], Array.from(counts).sort().map(function (entry) {
      return [entry[0], entry[0] + " (" + number(entry[1]) + ")"];
    }));
    filters[name].parentElement.hidden = counts.size < (name === "label" || name === "cause" ? 1 : 2);
  }

  function ofVerdicts(field) {
    return function (page) { return page.verdicts.flatMap(function (v) { return v[field] || []; }); };
  }
  options(filters.judge, judges.map(function (name, i) { return [i, name]; }));
  options(filters.outcome, [["!", "not correct"]].concat(Object.keys(data.report.tones)
    .filter(function (name) { return found.has(name); }).map(function (name) { return [name, name]; })));
  ["system", "right", "wrong"].forEach(function (name) {
    filterBy(name, function (page) { return [page.system]; });
  });
  filterBy("db", function (page) { return [page.db]; });
  filterBy("difficulty", function (page) { return [page.difficulty]; });
  filterBy("feature", function (page) { return page.features; });
  filterBy("label", ofVerdicts("labels"));
  filterBy("cause", ofVerdicts("cause"));

  Object.keys(filters).forEach(function (name) {
    filters[name].addEventListener("input", function () {
      place = -1;
      history.replaceState(null, "", address());
      select();
    });
  });
  document.querySelector(".filters").addEventListener("submit", function (event) {
    event.preventDefault();
    focusCase(0);
  });
  byId("more").addEventListener("click", function () { draw(PAGE); });

  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    var typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "Escape") {
      if (typing) event.target.blur();
      else if (!views.case.hidden) location.hash = address();
      return;
    }
    if (typing) return;
    if (event.key === "/") {
      event.preventDefault();
      if (views.cases.hidden) location.hash = address();
      setTimeout(function () { filters.q.focus(); }, 0);
    }
    var step = { j: 1, ArrowRight: 1, k: -1, ArrowLeft: -1 }[event.key];
    // A table that scrolls sideways keeps the arrows.
    if (!step || (event.key.length > 1 && event.target.classList.contains("scroll"))) return;
    if (!views.case.hidden) {
      var next = neighbour(place, step);
      if (next !== null) location.hash = link(next);
    } else if (!views.cases.hidden && event.key.length === 1) {
      var rows = Array.from(byId("list").children);
      var here = rows.indexOf(document.activeElement.parentElement);
      focusCase(here + step);
    }
  });

  addEventListener("hashchange", route);
  select();
  route();
})();
