// Filters of the findings, and decisions about them.
(function () {
  "use strict";
  function byId(id) { return document.getElementById(id); }
  var cards = Array.from(document.querySelectorAll(".finding"));
  var filters = ["code", "db", "search", "proposed", "hints"].map(byId);
  var texts = cards.map(function (card) { return card.textContent.toLowerCase(); });

  function select() {
    var words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean), shown = 0;
    cards.forEach(function (card, i) {
      var hide = (byId("code").value && card.dataset.code !== byId("code").value) ||
        (byId("db").value && card.dataset.db !== byId("db").value) ||
        (byId("proposed").checked && card.dataset.proposed === undefined) ||
        (!byId("hints").checked && byId("code").value !== card.dataset.code && card.dataset.weak !== undefined) ||
        !words.every(function (word) { return texts[i].includes(word); });
      card.hidden = Boolean(hide);
      shown += hide ? 0 : 1;
    });
    byId("found").textContent = shown.toLocaleString("en-US") + " of " +
      cards.length.toLocaleString("en-US") + " findings";
  }

  document.querySelector(".filters").addEventListener("submit", function (event) { event.preventDefault(); });
  filters.forEach(function (one) { one.addEventListener("input", select); });
  select();

  // ------------------------------------------------------------ decisions

  var key = "sqljury-decisions-" + document.querySelector(".signature").textContent, decided = {};
  try { decided = JSON.parse(localStorage.getItem(key)) || {}; } catch (error) { /* no storage */ }

  function part(card, name) { return card.querySelector("." + name); }

  function tell() {
    var count = Object.keys(decided).length;
    byId("decided").hidden = count === 0;
    byId("count").textContent = count.toLocaleString("en-US") + " decided.";
    try { localStorage.setItem(key, JSON.stringify(decided)); } catch (error) { /* no storage */ }
  }

  // A replacement needs a query that is not the reference itself.
  function complete(finding, one) {
    return one.decision !== "replace" || Boolean(one.new_sql ? one.new_sql !== finding.sql : finding.proposal);
  }

  function decidable(finding, i) {
    var card = cards[i], one = decided[i] || {};
    part(card, "decision").value = one.decision || "";
    part(card, "new-sql").value = one.new_sql || finding.proposal || finding.sql;
    part(card, "why").value = one.why || "";
    function changed() {
      var now = { decision: part(card, "decision").value, new_sql: part(card, "new-sql").value.trim(), why: part(card, "why").value.trim() };
      if (now.new_sql === finding.proposal) now.new_sql = "";
      part(card, "new").hidden = now.decision !== "replace";
      part(card, "new-sql").setCustomValidity(complete(finding, now) ? "" : "Write the new reference.");
      if (now.decision && complete(finding, now)) decided[i] = now;
      else delete decided[i];
      tell();
    }
    part(card, "decide").addEventListener("input", changed);
    part(card, "decide").hidden = false;
    changed();
  }

  inflated(byId("findings").textContent).then(function (findings) {
    findings.forEach(decidable);
    byId("save").addEventListener("click", function () {
      var lines = Object.keys(decided).map(function (i) {
        return JSON.stringify(Object.assign({}, findings[i], decided[i])) + "\n";
      });
      var link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob(lines, { type: "application/jsonl" }));
      link.download = "decided.jsonl";
      link.click();
    });
  });
})();
