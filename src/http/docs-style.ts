/** How the page for people looks: readable on a phone, dark where the reader's system is. */
export const DOCS_STYLE = `
:root{color-scheme:light dark;--ink:#1d2329;--dim:#5a6672;--paper:#fcfcfa;--soft:#f0f1ee;--line:#dcdfdb;--mark:#0b6b57}
@media(prefers-color-scheme:dark){:root{--ink:#dde3e8;--dim:#96a2ad;--paper:#14181b;--soft:#1e2428;--line:#313a40;--mark:#6fcfb5}}
*{box-sizing:border-box}
html{scroll-padding-top:3.5rem}
body{margin:0 auto;max-width:52rem;padding:1.5rem 1rem 6rem;color:var(--ink);background:var(--paper);font:1rem/1.6 system-ui,sans-serif}
h1{margin:0;font-size:1.7rem}h2{margin:3rem 0 .5rem;font-size:1.35rem}h3{margin:0 0 .5rem;font-size:1rem;font-weight:600}
p{margin:.6rem 0}a{color:var(--mark)}
nav{position:sticky;top:0;display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;padding:.7rem 0;background:var(--paper);border-bottom:1px solid var(--line)}
article{margin:1.5rem 0;padding:1rem;border:1px solid var(--line);border-radius:.5rem}
code,pre{font:.875em/1.5 ui-monospace,monospace}
code{overflow-wrap:anywhere}
pre{margin:.5rem 0;padding:.75rem;overflow-x:auto;background:var(--soft);border-radius:.375rem}
.get,.put,.post{color:var(--mark);font-weight:700}
h3 span,dt span{padding:.05rem .45rem;color:var(--dim);background:var(--soft);border-radius:1rem;font-size:.8rem;font-weight:400}
.wide{overflow-x:auto}
table{width:100%;border-collapse:collapse;font-size:.9rem}
th,td{padding:.35rem .6rem .35rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
td:first-child{min-width:8.5rem}
th,small,em{color:var(--dim)}em{font-style:normal}
ul.answers{margin:0;padding:0;list-style:none;font-size:.9rem}
summary{cursor:pointer}
dt{margin-top:1.2rem;font-weight:600}dd{margin:.2rem 0 0}
:target{background:var(--soft)}
`;
