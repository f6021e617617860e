// The JSON value of a deflated text in base64, as a promise.
function inflated(text) {
  "use strict";
  var bytes = Uint8Array.from(atob(text.trim()), function (one) { return one.charCodeAt(0); });
  var stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}
