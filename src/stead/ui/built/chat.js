import{a as i}from"./chunk-ZJ7SLEXG.js";import"./chunk-SQE76S5B.js";i().then(()=>import("./main-TM66B4AC.js"));
