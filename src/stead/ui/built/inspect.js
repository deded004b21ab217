import{a as i}from"./chunk-ZJ7SLEXG.js";import"./chunk-SQE76S5B.js";i().then(()=>import("./main-XXAYC6HX.js"));
