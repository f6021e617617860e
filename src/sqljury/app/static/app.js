// Keys. Pages work without this script; it only follows links and moves the focus.
(function () {
  "use strict";
  document.documentElement.classList.add("scripted");
  function all(selector) { return Array.from(document.querySelectorAll(selector)); }

  function follow(selector) {
    var link = document.querySelector(selector);
    if (link) link.click();
    return Boolean(link);
  }

  // Moves the focus in the list of cases.
  function step(by) {
    var rows = all(".cases a");
    var here = rows.indexOf(document.activeElement), next = rows[here < 0 ? (by > 0 ? 0 : -1) : here + by];
    if (next) next.focus();
    return rows.length > 0;
  }

  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    var typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && !/^(radio|checkbox)$/.test(event.target.type);
    if (event.key === "Escape" && typing) { event.target.blur(); return; }
    if (typing) return;
    var marked = all("[data-key]").filter(function (one) { return one.dataset.key === event.key; })[0];
    if (marked) {
      event.preventDefault();
      if (/^(TEXTAREA|INPUT)$/.test(marked.tagName) && !/^(radio|checkbox|submit)$/.test(marked.type)) marked.focus();
      else marked.click();
      return;
    }
    if (event.key === "/") {
      var search = document.querySelector("input[type=search]");
      event.preventDefault();
      if (search) { search.focus(); search.select(); } else follow("[data-key=Escape]");
      return;
    }
    // A table that scrolls sideways keeps the arrows.
    if (event.key.length > 1 && event.target.classList.contains("scroll")) return;
    if (event.key === "j" || event.key === "k") {
      if (!document.querySelector(".cases")) follow(event.key === "j" ? "[rel=next]" : "[rel=prev]");
      else step(event.key === "j" ? 1 : -1);
    }
    if (event.key === "n" || event.key === "ArrowRight") follow("[rel=next]");
    if (event.key === "p" || event.key === "ArrowLeft") follow("[rel=prev]");
  });
})();
