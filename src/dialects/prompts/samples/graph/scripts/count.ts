console.log("all");
