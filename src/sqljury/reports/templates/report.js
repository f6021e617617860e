// The views of the report: the list of cases is made here, the page of each is read from its block.
(function () {
  "use strict";
  var data = JSON.parse(byId("data").textContent);
  var judges = data.report.judges, cases = [], blocks = new Map();
  var views = { overview: byId("overview"), cases: byId("cases"), case: byId("case") };
  var filters = {};
  ["judge", "outcome", "cause", "db", "system", "right", "wrong", "difficulty", "feature", "label", "sort", "q", "split"]
    .forEach(function (name) { filters[name] = byId(name); });
  var PAGE = 200, visible = [], drawn = 0, place = -1;
  // The cases of each question, by system.
  var answers = new Map();
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
      if (words.length && !words.every(function (word) { return page.text.includes(word); })) return;
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
    return make("span", { class: "why" }, make("b", {}, wrong.cause), " · ", page.difference || wrong.reason || "");
  }

  function sides(page) {
    return [["\u2212", page.reference], ["+", page.prediction]].map(function (side) {
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

  // A block holds the pages of neighbouring cases, rendered when the report was written.
  function bodies(number) {
    if (!blocks.has(number)) blocks.set(number, inflated(byId("block-" + number).textContent));
    return blocks.get(number);
  }

  function showCase(i) {
    var page = cases[i];
    place = i;
    bodies(Math.floor(i / data.report.block)).then(function (texts) {
      if (place !== i) return;
      // Written with every text escaped, and no script of it could run: the policy names ours only.
      var body = new DOMParser().parseFromString(texts[i % data.report.block], "text/html").body;
      views.case.replaceChildren.apply(views.case, [pager(i)].concat(Array.from(body.children)));
      others(i).forEach(function (node) { byId("others").append(node); });
      show("case", page.id + " · " + reportTitle);
      byId("main").focus({ preventScroll: true });
      window.scrollTo(0, 0);
    });
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

  // The same question by the other systems.
  function others(i) {
    var page = cases[i], nodes = [];
    answers.get(page.asked).forEach(function (other, system) {
      if (other === i) return;
      var found = cases[other];
      nodes.push(make("details", { class: "other" },
        make("summary", {}, make("b", {}, system || found.id), " ", chips(found)),
        make("p", { class: "quiet" }, make("a", { href: link(other) }, "Open"), why(found)),
        found.prediction === undefined ? null : make("pre", {}, found.prediction)));
    });
    return nodes.length ? [make("h2", {}, "Other systems")].concat(nodes) : [];
  }

  // ------------------------------------------------------------ controls

  function options(element, entries) {
    entries.forEach(function (entry) { element.append(make("option", { value: entry[0] }, entry[1])); });
  }

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

  function begin(found) {
    cases = found;
    var outcomes = new Set();
    cases.forEach(function (page, i) {
      if (!answers.has(page.asked)) answers.set(page.asked, new Map());
      answers.get(page.asked).set(page.system, i);
      page.verdicts.forEach(function (v) { outcomes.add(v.outcome); });
    });
    options(filters.judge, judges.map(function (name, i) { return [i, name]; }));
    options(filters.outcome, [["!", "not correct"]].concat(Object.keys(data.report.tones)
      .filter(function (name) { return outcomes.has(name); }).map(function (name) { return [name, name]; })));
    ["system", "right", "wrong"].forEach(function (name) {
      filterBy(name, function (page) { return [page.system]; });
    });
    filterBy("db", function (page) { return [page.db]; });
    filterBy("difficulty", function (page) { return [page.difficulty]; });
    filterBy("feature", function (page) { return page.features; });
    filterBy("label", ofVerdicts("labels"));
    filterBy("cause", ofVerdicts("cause"));
    addEventListener("hashchange", route);
    select();
    route();
  }

  inflated(data.cases).then(begin);
})();
