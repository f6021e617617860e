// The button that switches between light and dark.
(function () {
  "use strict";
  var themeButton = document.getElementById("theme"), root = document.documentElement;
  function isDark() {
    return root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }
  function label() { themeButton.textContent = isDark() ? "Light" : "Dark"; }
  themeButton.addEventListener("click", function () {
    root.dataset.theme = isDark() ? "light" : "dark";
    try { localStorage.setItem("sqljury-theme", root.dataset.theme); } catch (error) { /* no storage */ }
    label();
  });
  label();
})();
