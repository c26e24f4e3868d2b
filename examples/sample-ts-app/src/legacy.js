var fs = require("fs");
var counter = 0;

function readSettings(path, done) {
  fs.readFile(path, "utf8", function (err, text) {
    if (err) return done(err);
    counter = counter + 1;
    debugger;
    done(null, eval("(" + text + ")"));
  });
}

module.exports = { readSettings };
