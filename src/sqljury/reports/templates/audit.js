// Filters of the findings.
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
})();
