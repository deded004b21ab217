import{a as i}from"./chunk-KZ5VPLQI.js";import"./chunk-SQE76S5B.js";i().then(()=>import("./main-R6RZNUUF.js"));
