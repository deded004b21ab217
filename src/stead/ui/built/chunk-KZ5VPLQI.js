var n=()=>new Promise(e=>{if(document.hidden)return e();new PerformanceObserver((t,r)=>{r.disconnect(),e()}).observe({type:"paint",buffered:!0}),setTimeout(e,500)});export{n as a};
