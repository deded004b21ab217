var t=()=>new Promise(e=>{if(document.hidden)return e();requestAnimationFrame(()=>setTimeout(e)),setTimeout(e,500)});export{t as a};
