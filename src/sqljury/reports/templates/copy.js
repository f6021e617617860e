// Buttons that copy the text behind their line.
(function () {
  "use strict";
  function copied(button, done) {
    button.textContent = done ? "Copied" : "Not copied";
    setTimeout(function () { button.textContent = "Copy"; }, 1500);
  }

  // A page that is opened from disk may have no clipboard of its own.
  function copyOldWay(text) {
    var area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    var done = document.execCommand("copy");
    area.remove();
    return done;
  }

  document.addEventListener("click", function (event) {
    if (!event.target.classList.contains("copy")) return;
    var button = event.target, text = button.parentElement.nextElementSibling.textContent;
    if (!navigator.clipboard) { copied(button, copyOldWay(text)); return; }
    navigator.clipboard.writeText(text).then(
      function () { copied(button, true); },
      function () { copied(button, copyOldWay(text)); });
  });
})();
