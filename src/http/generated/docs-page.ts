/** The page at /docs. Made by `npm run openapi`; not to be edited. */
export const DOCS_PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Holdfast HTTP</title>
<style>
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
</style></head><body>
<header><h1>Holdfast HTTP</h1><p>Durable jobs on storage you already have.
 Version 0.1.0; the same for machines: 
<a href="openapi.json">openapi.json</a>.</p></header>
<nav><a href="#emails">Emails</a> <a href="#email-configuration">Email configuration</a> <a href="#receipts">Receipts</a> <a href="#queries">Queries</a> <a href="#operations">Operations</a> <a href="#service">Service</a> <a href="#payloads">Payloads</a> <a href="#problems">Problems</a></nav>
<main><section>
<p>JSON over HTTP.</p>
<p><strong>Keys.</strong> Send <code>Authorization: Bearer &lt;key&gt;</code>. A key belongs to one tenant and has scopes; <code>:write</code> includes <code>:read</code> of the same machine, and <code>*</code> everything. Tokens of leases and claims are shown to keys with <code>emails:write</code> only, that of a query's run to whoever started it. A service without keys answers requests of its own host only, and lets them do everything.</p>
<p><strong>Requests.</strong> Bodies are JSON in UTF-8 with <code>Content-Type: application/json</code>; an empty one is <code>{}</code>. Unknown properties and parameters are refused (in a submitted query dropped), and so is <code>null</code> for an optional property that is not nullable. Durations are whole milliseconds; times are ISO 8601, in answers in UTC with milliseconds, but for those of a receipt, which are milliseconds since 1970. <code>HEAD</code> is answered wherever <code>GET</code> is.</p>
<p><strong>Refusals</strong> are <code>application/problem+json</code> (RFC 9457) with a stable <code>code</code>, which <code>/docs#&lt;code&gt;</code> explains. Match on <code>code</code>. One by a record's state tells that <code>state</code> (of a query <code>jobStatus</code>) and its <code>updatedAt</code>. On every query route <code>error</code> stands beside, with the same code. On every path there may also be 404 <code>not_found</code> and 405 <code>method_not_allowed</code> (with <code>Allow</code>).</p>
<p><strong>Repeats.</strong> Repeating a request never does harm: it is answered as before, or refused with the current state. After a 503, a 429 or a lost answer repeat the same request; <code>Retry-After</code> tells when.</p>
<p><strong>Lists.</strong> <code>limit</code> is 1 to 100, 50 by default (receipts: 128, 64); <code>cursor</code> is the <code>nextCursor</code> of the page before. A page may be short, even empty, and have a <code>nextCursor</code>; null ends the list. What was there throughout a walk is met exactly once.</p>
<p><strong>Request ids.</strong> Every answer has an <code>X-Request-Id</code>: the request's own, or one that was made.</p>
</section>
<section><h2 id="emails">Emails</h2>
<p>Jobs that send one email each, and who works on them.</p>
<article id="listEmails"><h3><code class="get">GET</code> 
<code>/<wbr>v1/<wbr>emails</code> <span>emails:read</span></h3>
<p><strong>A page of jobs.</strong></p>
<p>Within a page by creation time, then id; the pages follow each other in the storage's order. What was there throughout a walk is met exactly once.</p>
<p>Needs a key with the scope <code>emails:read</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>state</code> <small>optional</small></td><td>pending | awaiting_ai | ai_dispatched | ready | sending | sent | cancelled | failed; query</td><td>Only jobs in it.</td></tr>
<tr><td><code>limit</code> <small>optional</small></td><td>integer; query</td><td>Jobs at most, 1 to 100; default 50.</td></tr>
<tr><td><code>cursor</code> <small>optional</small></td><td>string; query</td><td>The <code>nextCursor</code> of the page before; none for the first.</td></tr>
</table></div>

<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/emails&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot;</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;jobs&quot;: [
    {
      &quot;logicalKey&quot;: &quot;welcome:ann@example.com&quot;,
      &quot;type&quot;: &quot;message&quot;,
      &quot;state&quot;: &quot;pending&quot;,
      &quot;recipient&quot;: &quot;ann@example.com&quot;,
      &quot;subject&quot;: &quot;Welcome&quot;,
      &quot;text&quot;: &quot;Good to have you here.&quot;,
      &quot;attempts&quot;: 0,
      &quot;createdAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
      &quot;updatedAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
      &quot;lastError&quot;: null,
      &quot;leaseUntil&quot;: null,
      &quot;leaseToken&quot;: null
    }
  ],
  &quot;nextCursor&quot;: &quot;M2YyYTljMWI3ZDVlZW1haWxzL2pvYnMvOWY4NmQwODE4ODRjN2Q2NQ&quot;,
  &quot;corrupt&quot;: []
}</pre></details></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a>, <a href="#invalid_cursor"><code>invalid_cursor</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="enqueueEmail"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>emails</code> <span>emails:write</span></h3>
<p><strong>Create the job of a logical key, once.</strong></p>
<p>The first call creates the job (201); every later one is answered with the stored job (200), whatever payload it brings, unless <code>onPayloadMismatch</code> is <code>&quot;conflict&quot;</code>.</p>
<p>Needs a key with the scope <code>emails:write</code>.</p>

<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>logicalKey</code></td><td>string</td><td>1 to 1,024 UTF-8 bytes after trimming, not <code>sha256:</code> and 64 hex digits. One key, one email.</td></tr>
<tr><td><code>payload</code></td><td>object</td><td><code>type</code>, <code>recipient</code>, and the fields of that kind. Unknown properties are refused; at most 32 levels and 20,000 values, no NUL character and no half surrogate pair.</td></tr>
<tr><td><code>initialState</code> <small>optional</small></td><td>pending | awaiting_ai</td><td><code>pending</code> by default; <code>awaiting_ai</code> for a kind that waits for a text.</td></tr>
<tr><td><code>notBefore</code> <small>optional</small></td><td>date-time</td><td>Not leased as due before; 1970 to 2286.</td></tr>
<tr><td><code>onPayloadMismatch</code> <small>optional</small></td><td>return | conflict</td><td>When the key has a job of another payload: answer that (default), or refuse.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;logicalKey&quot;: &quot;welcome:ann@example.com&quot;,
  &quot;payload&quot;: {
    &quot;type&quot;: &quot;message&quot;,
    &quot;recipient&quot;: &quot;ann@example.com&quot;,
    &quot;subject&quot;: &quot;Welcome&quot;,
    &quot;text&quot;: &quot;Good to have you here.&quot;
  }
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/emails&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;logicalKey&quot;:&quot;welcome:ann@example.com&quot;,&quot;payload&quot;:{&quot;type&quot;:&quot;message&quot;,&quot;recipient&quot;:&quot;ann@example.com&quot;,&quot;subject&quot;:&quot;Welcome&quot;,&quot;text&quot;:&quot;Good to have you here.&quot;}}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> It was there; this is what is stored.</summary><pre>{
  &quot;created&quot;: false,
  &quot;job&quot;: {
    &quot;logicalKey&quot;: &quot;welcome:ann@example.com&quot;,
    &quot;type&quot;: &quot;message&quot;,
    &quot;state&quot;: &quot;pending&quot;,
    &quot;recipient&quot;: &quot;ann@example.com&quot;,
    &quot;subject&quot;: &quot;Welcome&quot;,
    &quot;text&quot;: &quot;Good to have you here.&quot;,
    &quot;attempts&quot;: 0,
    &quot;createdAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;updatedAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;lastError&quot;: null,
    &quot;leaseUntil&quot;: null,
    &quot;leaseToken&quot;: null
  }
}</pre></details></li>
<li><details><summary><b>201</b> It was made by this call.</summary><pre>{
  &quot;created&quot;: true,
  &quot;job&quot;: {
    &quot;logicalKey&quot;: &quot;welcome:ann@example.com&quot;,
    &quot;type&quot;: &quot;message&quot;,
    &quot;state&quot;: &quot;pending&quot;,
    &quot;recipient&quot;: &quot;ann@example.com&quot;,
    &quot;subject&quot;: &quot;Welcome&quot;,
    &quot;text&quot;: &quot;Good to have you here.&quot;,
    &quot;attempts&quot;: 0,
    &quot;createdAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;updatedAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;lastError&quot;: null,
    &quot;leaseUntil&quot;: null,
    &quot;leaseToken&quot;: null
  }
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>410</b> <a href="#job_expired"><code>job_expired</code></a>, <a href="#erased"><code>erased</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a>, <a href="#record_too_large"><code>record_too_large</code></a>, <a href="#job_payload_conflict"><code>job_payload_conflict</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="enqueueEmails"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>email-batches</code> <span>emails:write</span></h3>
<p><strong>Create up to 100 jobs.</strong></p>
<p>Each item has the verdict that it would have alone; one's failure stops no other. The same key twice: the second is <code>created: false</code>.</p>
<p>Needs a key with the scope <code>emails:write</code>.</p>

<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>jobs</code></td><td>array of object</td><td>Judged one by one: a bad item has its own <code>problem</code>, the others are made.</td></tr>
</table></div>
<p>For example (at most 4,194,304 bytes):</p><pre>{
  &quot;jobs&quot;: [
    {
      &quot;logicalKey&quot;: &quot;welcome:ann@example.com&quot;,
      &quot;payload&quot;: {
        &quot;type&quot;: &quot;message&quot;,
        &quot;recipient&quot;: &quot;ann@example.com&quot;,
        &quot;subject&quot;: &quot;Welcome&quot;,
        &quot;text&quot;: &quot;Good to have you here.&quot;
      }
    }
  ]
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/email-batches&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;jobs&quot;:[{&quot;logicalKey&quot;:&quot;welcome:ann@example.com&quot;,&quot;payload&quot;:{&quot;type&quot;:&quot;message&quot;,&quot;recipient&quot;:&quot;ann@example.com&quot;,&quot;subject&quot;:&quot;Welcome&quot;,&quot;text&quot;:&quot;Good to have you here.&quot;}}]}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;results&quot;: [
    {
      &quot;created&quot;: true,
      &quot;job&quot;: {
        &quot;logicalKey&quot;: &quot;welcome:ann@example.com&quot;,
        &quot;type&quot;: &quot;message&quot;,
        &quot;state&quot;: &quot;pending&quot;,
        &quot;recipient&quot;: &quot;ann@example.com&quot;,
        &quot;subject&quot;: &quot;Welcome&quot;,
        &quot;text&quot;: &quot;Good to have you here.&quot;,
        &quot;attempts&quot;: 0,
        &quot;createdAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
        &quot;updatedAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
        &quot;lastError&quot;: null,
        &quot;leaseUntil&quot;: null,
        &quot;leaseToken&quot;: null
      }
    },
    {
      &quot;problem&quot;: {
        &quot;type&quot;: &quot;/docs#invalid_request&quot;,
        &quot;title&quot;: &quot;The request is not valid&quot;,
        &quot;status&quot;: 422,
        &quot;detail&quot;: &quot;something in the request is not valid&quot;,
        &quot;instance&quot;: &quot;/v1/email-batches&quot;,
        &quot;code&quot;: &quot;invalid_request&quot;,
        &quot;errors&quot;: [
          {
            &quot;path&quot;: &quot;payload.subject&quot;,
            &quot;message&quot;: &quot;must be one line&quot;
          }
        ]
      }
    }
  ]
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="enqueueFirstImport"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>emails/<wbr>first-imports</code> <span>emails:write</span></h3>
<p><strong>Create a recipient's first-import job, or turn it to another recording.</strong></p>
<p>One job a recipient. While it can still change it is turned to the recording that came last, also after it was cancelled; then, and for a repeat, 200.</p>
<p>Needs a key with the scope <code>emails:write</code>.</p>

<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>recipient</code></td><td>string</td><td>An email address; trimmed and lower-cased. One job a recipient.</td></tr>
<tr><td><code>recordingId</code></td><td>string</td><td>The recording that the email is to be about.</td></tr>
<tr><td><code>requestedBy</code></td><td>string</td><td>Who asked for it.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;recipient&quot;: &quot;ann@example.com&quot;,
  &quot;recordingId&quot;: &quot;rec-1&quot;,
  &quot;requestedBy&quot;: &quot;bob@example.com&quot;
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/emails/first-imports&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;recipient&quot;:&quot;ann@example.com&quot;,&quot;recordingId&quot;:&quot;rec-1&quot;,&quot;requestedBy&quot;:&quot;bob@example.com&quot;}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> It was there; this is what is stored.</summary><pre>{
  &quot;created&quot;: false,
  &quot;job&quot;: {
    &quot;logicalKey&quot;: &quot;first-import:ann@example.com&quot;,
    &quot;type&quot;: &quot;first-import&quot;,
    &quot;state&quot;: &quot;pending&quot;,
    &quot;recipient&quot;: &quot;ann@example.com&quot;,
    &quot;recordingIds&quot;: [
      &quot;rec-1&quot;
    ],
    &quot;requestedBy&quot;: &quot;bob@example.com&quot;,
    &quot;attempts&quot;: 0,
    &quot;createdAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;updatedAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;lastError&quot;: null,
    &quot;leaseUntil&quot;: null,
    &quot;leaseToken&quot;: null
  }
}</pre></details></li>
<li><details><summary><b>201</b> It was made by this call.</summary><pre>{
  &quot;created&quot;: true,
  &quot;job&quot;: {
    &quot;logicalKey&quot;: &quot;first-import:ann@example.com&quot;,
    &quot;type&quot;: &quot;first-import&quot;,
    &quot;state&quot;: &quot;pending&quot;,
    &quot;recipient&quot;: &quot;ann@example.com&quot;,
    &quot;recordingIds&quot;: [
      &quot;rec-1&quot;
    ],
    &quot;requestedBy&quot;: &quot;bob@example.com&quot;,
    &quot;attempts&quot;: 0,
    &quot;createdAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;updatedAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;lastError&quot;: null,
    &quot;leaseUntil&quot;: null,
    &quot;leaseToken&quot;: null
  }
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>410</b> <a href="#job_expired"><code>job_expired</code></a>, <a href="#erased"><code>erased</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="readEmail"><h3><code class="get">GET</code> 
<code>/<wbr>v1/<wbr>emails/<wbr>{k}</code> <span>emails:read</span></h3>
<p><strong>One job.</strong></p>
<p>Its state, its content and its stamps.</p>
<p>Needs a key with the scope <code>emails:read</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>k</code></td><td>string; path</td><td>The logical key, URL-encoded, exactly as it is stored; or <code>sha256:</code> and the 64 lower-case hex digits of its SHA-256, for keys with dot segments and for proxies that decode slashes.</td></tr>
</table></div>

<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/emails/welcome%3Aann%40example.com&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot;</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;job&quot;: {
    &quot;logicalKey&quot;: &quot;welcome:ann@example.com&quot;,
    &quot;type&quot;: &quot;message&quot;,
    &quot;state&quot;: &quot;pending&quot;,
    &quot;recipient&quot;: &quot;ann@example.com&quot;,
    &quot;subject&quot;: &quot;Welcome&quot;,
    &quot;text&quot;: &quot;Good to have you here.&quot;,
    &quot;attempts&quot;: 0,
    &quot;createdAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;updatedAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;lastError&quot;: null,
    &quot;leaseUntil&quot;: null,
    &quot;leaseToken&quot;: null
  },
  &quot;dueAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;
}</pre></details></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#job_not_found"><code>job_not_found</code></a></li>
<li><b>410</b> <a href="#job_expired"><code>job_expired</code></a>, <a href="#erased"><code>erased</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="transitionEmail"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>emails/<wbr>{k}/<wbr>transitions</code> <span>emails:write</span></h3>
<p><strong>Move a job that nobody has leased.</strong></p>
<p>A job in none of the states of <code>from</code> is refused with its state, so a repeat of a move that was made tells so. A leased one moves by a settlement only.</p>
<p>Needs a key with the scope <code>emails:write</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>k</code></td><td>string; path</td><td>The logical key, URL-encoded, exactly as it is stored; or <code>sha256:</code> and the 64 lower-case hex digits of its SHA-256, for keys with dot segments and for proxies that decode slashes.</td></tr>
</table></div>
<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>from</code></td><td>array of pending | awaiting_ai | ai_dispatched | ready | sending | sent | cancelled | failed</td><td>The states from which the move is meant.</td></tr>
<tr><td><code>to</code></td><td>pending | awaiting_ai | ai_dispatched | ready | sending | sent | cancelled | failed</td><td>Where to; <code>sending</code> is reached by a lease only.</td></tr>
<tr><td><code>generatedSummary</code> <small>optional</small></td><td>string</td><td>The text of a kind that waits for one.</td></tr>
<tr><td><code>lastError</code> <small>optional</small></td><td>string | null</td><td>Why; null removes the one before, leaving it out keeps it.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;from&quot;: [
    &quot;pending&quot;
  ],
  &quot;to&quot;: &quot;ready&quot;
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/emails/welcome%3Aann%40example.com/transitions&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;from&quot;:[&quot;pending&quot;],&quot;to&quot;:&quot;ready&quot;}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;job&quot;: {
    &quot;logicalKey&quot;: &quot;welcome:ann@example.com&quot;,
    &quot;type&quot;: &quot;message&quot;,
    &quot;state&quot;: &quot;ready&quot;,
    &quot;recipient&quot;: &quot;ann@example.com&quot;,
    &quot;subject&quot;: &quot;Welcome&quot;,
    &quot;text&quot;: &quot;Good to have you here.&quot;,
    &quot;attempts&quot;: 0,
    &quot;createdAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;updatedAt&quot;: &quot;2026-01-31T09:00:01.000Z&quot;,
    &quot;lastError&quot;: null,
    &quot;leaseUntil&quot;: null,
    &quot;leaseToken&quot;: null,
    &quot;readyAt&quot;: &quot;2026-01-31T09:00:01.000Z&quot;
  }
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#job_not_found"><code>job_not_found</code></a></li>
<li><b>409</b> <a href="#state_mismatch"><code>state_mismatch</code></a>, <a href="#invalid_transition"><code>invalid_transition</code></a></li>
<li><b>410</b> <a href="#job_expired"><code>job_expired</code></a>, <a href="#erased"><code>erased</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a>, <a href="#record_too_large"><code>record_too_large</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="requeueEmail"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>emails/<wbr>{k}/<wbr>requeues</code> <span>emails:write</span></h3>
<p><strong>Give a failed job a new life.</strong></p>
<p>It is pending again: its attempts, the stamps of its earlier life and its last settlement are forgotten, its lastError is kept. A repeat is refused by its state.</p>
<p>Needs a key with the scope <code>emails:write</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>k</code></td><td>string; path</td><td>The logical key, URL-encoded, exactly as it is stored; or <code>sha256:</code> and the 64 lower-case hex digits of its SHA-256, for keys with dot segments and for proxies that decode slashes.</td></tr>
</table></div>

<p>For example (at most 1,048,576 bytes. May be left out):</p><pre>{}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/emails/welcome%3Aann%40example.com/requeues&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;job&quot;: {
    &quot;logicalKey&quot;: &quot;welcome:ann@example.com&quot;,
    &quot;type&quot;: &quot;message&quot;,
    &quot;state&quot;: &quot;pending&quot;,
    &quot;recipient&quot;: &quot;ann@example.com&quot;,
    &quot;subject&quot;: &quot;Welcome&quot;,
    &quot;text&quot;: &quot;Good to have you here.&quot;,
    &quot;attempts&quot;: 0,
    &quot;createdAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;updatedAt&quot;: &quot;2026-01-31T10:00:00.000Z&quot;,
    &quot;lastError&quot;: &quot;550 no such mailbox&quot;,
    &quot;leaseUntil&quot;: null,
    &quot;leaseToken&quot;: null
  }
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#job_not_found"><code>job_not_found</code></a></li>
<li><b>409</b> <a href="#state_mismatch"><code>state_mismatch</code></a></li>
<li><b>410</b> <a href="#job_expired"><code>job_expired</code></a>, <a href="#erased"><code>erased</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="leaseEmail"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>emails/<wbr>{k}/<wbr>leases</code> <span>emails:write</span></h3>
<p><strong>Lease one job, due or not.</strong></p>
<p><code>leaseToken</code> is minted for each acquisition and is the only credential. The same <code>requestId</code> while that lease stands gets the same lease.</p>
<p>Needs a key with the scope <code>emails:write</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>k</code></td><td>string; path</td><td>The logical key, URL-encoded, exactly as it is stored; or <code>sha256:</code> and the 64 lower-case hex digits of its SHA-256, for keys with dot segments and for proxies that decode slashes.</td></tr>
</table></div>
<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>durationMs</code></td><td>integer</td><td>Of the lease, from now, in milliseconds: 1 to 86,400,000.</td></tr>
<tr><td><code>requestId</code> <small>optional</small></td><td>string</td><td>The caller's own, unique per lease wanted: makes a repeat answer the same lease.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;durationMs&quot;: 120000
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/emails/welcome%3Aann%40example.com/leases&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;durationMs&quot;:120000}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;job&quot;: {
    &quot;logicalKey&quot;: &quot;welcome:ann@example.com&quot;,
    &quot;type&quot;: &quot;message&quot;,
    &quot;state&quot;: &quot;sending&quot;,
    &quot;recipient&quot;: &quot;ann@example.com&quot;,
    &quot;subject&quot;: &quot;Welcome&quot;,
    &quot;text&quot;: &quot;Good to have you here.&quot;,
    &quot;attempts&quot;: 1,
    &quot;createdAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;updatedAt&quot;: &quot;2026-01-31T09:00:02.000Z&quot;,
    &quot;lastError&quot;: null,
    &quot;leaseUntil&quot;: &quot;2026-01-31T09:02:02.000Z&quot;,
    &quot;leaseToken&quot;: &quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,
    &quot;readyAt&quot;: &quot;2026-01-31T09:00:01.000Z&quot;,
    &quot;sendingAt&quot;: &quot;2026-01-31T09:00:02.000Z&quot;
  }
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#job_not_found"><code>job_not_found</code></a></li>
<li><b>409</b> <a href="#not_leasable"><code>not_leasable</code></a></li>
<li><b>410</b> <a href="#job_expired"><code>job_expired</code></a>, <a href="#erased"><code>erased</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="leaseDueEmails"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>email-leases</code> <span>emails:write</span></h3>
<p><strong>Lease what is due, oldest first.</strong></p>
<p>Ready jobs that are due, and leased ones whose lease ran out. One that has used its attempts is failed instead. A lost answer costs its jobs one lease time.</p>
<p>Needs a key with the scope <code>emails:write</code>.</p>

<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>durationMs</code></td><td>integer</td><td>Of the lease, from now, in milliseconds: 1 to 86,400,000.</td></tr>
<tr><td><code>limit</code></td><td>integer</td><td>How many at most.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;durationMs&quot;: 120000,
  &quot;limit&quot;: 10
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/email-leases&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;durationMs&quot;:120000,&quot;limit&quot;:10}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;jobs&quot;: [
    {
      &quot;logicalKey&quot;: &quot;welcome:ann@example.com&quot;,
      &quot;type&quot;: &quot;message&quot;,
      &quot;state&quot;: &quot;sending&quot;,
      &quot;recipient&quot;: &quot;ann@example.com&quot;,
      &quot;subject&quot;: &quot;Welcome&quot;,
      &quot;text&quot;: &quot;Good to have you here.&quot;,
      &quot;attempts&quot;: 1,
      &quot;createdAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
      &quot;updatedAt&quot;: &quot;2026-01-31T09:00:02.000Z&quot;,
      &quot;lastError&quot;: null,
      &quot;leaseUntil&quot;: &quot;2026-01-31T09:02:02.000Z&quot;,
      &quot;leaseToken&quot;: &quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,
      &quot;readyAt&quot;: &quot;2026-01-31T09:00:01.000Z&quot;,
      &quot;sendingAt&quot;: &quot;2026-01-31T09:00:02.000Z&quot;
    }
  ]
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="extendEmailLease"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>emails/<wbr>{k}/<wbr>lease-extensions</code> <span>emails:write</span></h3>
<p><strong>Set the end of a lease.</strong></p>
<p>From now, also if that is earlier; also after it ran out while nobody took it.</p>
<p>Needs a key with the scope <code>emails:write</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>k</code></td><td>string; path</td><td>The logical key, URL-encoded, exactly as it is stored; or <code>sha256:</code> and the 64 lower-case hex digits of its SHA-256, for keys with dot segments and for proxies that decode slashes.</td></tr>
</table></div>
<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>leaseToken</code></td><td>string</td><td>Of the lease, as its acquisition answered it.</td></tr>
<tr><td><code>durationMs</code></td><td>integer</td><td>Of the lease, from now, in milliseconds: 1 to 86,400,000.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;leaseToken&quot;: &quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,
  &quot;durationMs&quot;: 120000
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/emails/welcome%3Aann%40example.com/lease-extensions&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;leaseToken&quot;:&quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,&quot;durationMs&quot;:120000}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;job&quot;: {
    &quot;logicalKey&quot;: &quot;welcome:ann@example.com&quot;,
    &quot;type&quot;: &quot;message&quot;,
    &quot;state&quot;: &quot;sending&quot;,
    &quot;recipient&quot;: &quot;ann@example.com&quot;,
    &quot;subject&quot;: &quot;Welcome&quot;,
    &quot;text&quot;: &quot;Good to have you here.&quot;,
    &quot;attempts&quot;: 1,
    &quot;createdAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;updatedAt&quot;: &quot;2026-01-31T09:00:02.000Z&quot;,
    &quot;lastError&quot;: null,
    &quot;leaseUntil&quot;: &quot;2026-01-31T09:02:02.000Z&quot;,
    &quot;leaseToken&quot;: &quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,
    &quot;readyAt&quot;: &quot;2026-01-31T09:00:01.000Z&quot;,
    &quot;sendingAt&quot;: &quot;2026-01-31T09:00:02.000Z&quot;
  }
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#job_not_found"><code>job_not_found</code></a></li>
<li><b>409</b> <a href="#lease_lost"><code>lease_lost</code></a></li>
<li><b>410</b> <a href="#job_expired"><code>job_expired</code></a>, <a href="#erased"><code>erased</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="settleEmail"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>emails/<wbr>{k}/<wbr>settlements</code> <span>emails:write</span></h3>
<p><strong>End a lease: sent, to be tried again, cancelled or failed.</strong></p>
<p>The same settlement again, while no later one happened, is answered and not written.</p>
<p>Needs a key with the scope <code>emails:write</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>k</code></td><td>string; path</td><td>The logical key, URL-encoded, exactly as it is stored; or <code>sha256:</code> and the 64 lower-case hex digits of its SHA-256, for keys with dot segments and for proxies that decode slashes.</td></tr>
</table></div>
<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>leaseToken</code></td><td>string</td><td>Of the lease, as its acquisition answered it.</td></tr>
<tr><td><code>to</code></td><td>sent | ready | cancelled | failed</td><td><code>ready</code>: due again after a back-off.</td></tr>
<tr><td><code>lastError</code> <small>optional</small></td><td>string | null</td><td>Why; null removes the one before, leaving it out keeps it.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;leaseToken&quot;: &quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,
  &quot;to&quot;: &quot;sent&quot;
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/emails/welcome%3Aann%40example.com/settlements&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;leaseToken&quot;:&quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,&quot;to&quot;:&quot;sent&quot;}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;job&quot;: {
    &quot;logicalKey&quot;: &quot;welcome:ann@example.com&quot;,
    &quot;type&quot;: &quot;message&quot;,
    &quot;state&quot;: &quot;sent&quot;,
    &quot;recipient&quot;: &quot;ann@example.com&quot;,
    &quot;subject&quot;: &quot;Welcome&quot;,
    &quot;text&quot;: &quot;Good to have you here.&quot;,
    &quot;attempts&quot;: 1,
    &quot;createdAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;updatedAt&quot;: &quot;2026-01-31T09:00:03.000Z&quot;,
    &quot;lastError&quot;: null,
    &quot;leaseUntil&quot;: null,
    &quot;leaseToken&quot;: null,
    &quot;readyAt&quot;: &quot;2026-01-31T09:00:01.000Z&quot;,
    &quot;sendingAt&quot;: &quot;2026-01-31T09:00:02.000Z&quot;,
    &quot;sentAt&quot;: &quot;2026-01-31T09:00:03.000Z&quot;
  }
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#job_not_found"><code>job_not_found</code></a></li>
<li><b>409</b> <a href="#lease_lost"><code>lease_lost</code></a></li>
<li><b>410</b> <a href="#job_expired"><code>job_expired</code></a>, <a href="#erased"><code>erased</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="claimEmail"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>emails/<wbr>{k}/<wbr>ai-claims</code> <span>emails:write</span></h3>
<p><strong>Claim a job that waits for its text.</strong></p>
<p><code>claimToken</code> is minted for each claim. A lost answer leaves a claim that can be taken over when it is stale, also by its own claimant.</p>
<p>Needs a key with the scope <code>emails:write</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>k</code></td><td>string; path</td><td>The logical key, URL-encoded, exactly as it is stored; or <code>sha256:</code> and the 64 lower-case hex digits of its SHA-256, for keys with dot segments and for proxies that decode slashes.</td></tr>
</table></div>
<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>claimant</code></td><td>string</td><td>An email address; trimmed and lower-cased.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;claimant&quot;: &quot;writer@example.com&quot;
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/emails/welcome%3Aann%40example.com/ai-claims&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;claimant&quot;:&quot;writer@example.com&quot;}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;job&quot;: {
    &quot;logicalKey&quot;: &quot;two-clips:ann@example.com&quot;,
    &quot;type&quot;: &quot;two-clips&quot;,
    &quot;state&quot;: &quot;ai_dispatched&quot;,
    &quot;recipient&quot;: &quot;ann@example.com&quot;,
    &quot;recordingIds&quot;: [
      &quot;rec-1&quot;,
      &quot;rec-2&quot;
    ],
    &quot;attempts&quot;: 0,
    &quot;createdAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;updatedAt&quot;: &quot;2026-01-31T09:00:02.000Z&quot;,
    &quot;aiDispatchedAt&quot;: &quot;2026-01-31T09:00:02.000Z&quot;,
    &quot;aiClaimedBy&quot;: &quot;writer@example.com&quot;,
    &quot;lastError&quot;: null,
    &quot;leaseUntil&quot;: null,
    &quot;leaseToken&quot;: null
  },
  &quot;claimToken&quot;: &quot;6a3f8f0e-6c1c-4f7e-9a51-0d8f1f6f2f55&quot;
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#job_not_found"><code>job_not_found</code></a></li>
<li><b>409</b> <a href="#not_claimable"><code>not_claimable</code></a></li>
<li><b>410</b> <a href="#job_expired"><code>job_expired</code></a>, <a href="#erased"><code>erased</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="reclaimEmail"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>emails/<wbr>{k}/<wbr>ai-reclaims</code> <span>emails:write</span></h3>
<p><strong>Take over a claim that is stale.</strong></p>
<p>Only a claim older than <code>staleBefore</code>; its claimant may take it over, too. The token is a new one.</p>
<p>Needs a key with the scope <code>emails:write</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>k</code></td><td>string; path</td><td>The logical key, URL-encoded, exactly as it is stored; or <code>sha256:</code> and the 64 lower-case hex digits of its SHA-256, for keys with dot segments and for proxies that decode slashes.</td></tr>
</table></div>
<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>claimant</code></td><td>string</td><td>An email address; trimmed and lower-cased.</td></tr>
<tr><td><code>staleBefore</code></td><td>date-time</td><td>Claims older than this may be taken over; 1970 to 2286.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;claimant&quot;: &quot;writer@example.com&quot;,
  &quot;staleBefore&quot;: &quot;2026-01-31T09:00:00.000Z&quot;
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/emails/welcome%3Aann%40example.com/ai-reclaims&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;claimant&quot;:&quot;writer@example.com&quot;,&quot;staleBefore&quot;:&quot;2026-01-31T09:00:00.000Z&quot;}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;job&quot;: {
    &quot;logicalKey&quot;: &quot;two-clips:ann@example.com&quot;,
    &quot;type&quot;: &quot;two-clips&quot;,
    &quot;state&quot;: &quot;ai_dispatched&quot;,
    &quot;recipient&quot;: &quot;ann@example.com&quot;,
    &quot;recordingIds&quot;: [
      &quot;rec-1&quot;,
      &quot;rec-2&quot;
    ],
    &quot;attempts&quot;: 0,
    &quot;createdAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;updatedAt&quot;: &quot;2026-01-31T09:00:02.000Z&quot;,
    &quot;aiDispatchedAt&quot;: &quot;2026-01-31T09:00:02.000Z&quot;,
    &quot;aiClaimedBy&quot;: &quot;writer@example.com&quot;,
    &quot;lastError&quot;: null,
    &quot;leaseUntil&quot;: null,
    &quot;leaseToken&quot;: null
  },
  &quot;claimToken&quot;: &quot;6a3f8f0e-6c1c-4f7e-9a51-0d8f1f6f2f55&quot;
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#job_not_found"><code>job_not_found</code></a></li>
<li><b>409</b> <a href="#not_claimable"><code>not_claimable</code></a></li>
<li><b>410</b> <a href="#job_expired"><code>job_expired</code></a>, <a href="#erased"><code>erased</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="completeEmailClaim"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>emails/<wbr>{k}/<wbr>ai-completions</code> <span>emails:write</span></h3>
<p><strong>Hand in the text of a claimed job.</strong></p>
<p>The job becomes ready. A repeat is refused by its state, <code>ready</code>.</p>
<p>Needs a key with the scope <code>emails:write</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>k</code></td><td>string; path</td><td>The logical key, URL-encoded, exactly as it is stored; or <code>sha256:</code> and the 64 lower-case hex digits of its SHA-256, for keys with dot segments and for proxies that decode slashes.</td></tr>
</table></div>
<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>claimant</code></td><td>string</td><td>An email address; trimmed and lower-cased.</td></tr>
<tr><td><code>summary</code></td><td>string</td><td>The text.</td></tr>
<tr><td><code>claimToken</code> <small>optional</small></td><td>string</td><td>Of the claim. Without it the claimant's address alone decides.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;claimant&quot;: &quot;writer@example.com&quot;,
  &quot;summary&quot;: &quot;Two clips about whales.&quot;
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/emails/welcome%3Aann%40example.com/ai-completions&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;claimant&quot;:&quot;writer@example.com&quot;,&quot;summary&quot;:&quot;Two clips about whales.&quot;}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;job&quot;: {
    &quot;logicalKey&quot;: &quot;two-clips:ann@example.com&quot;,
    &quot;type&quot;: &quot;two-clips&quot;,
    &quot;state&quot;: &quot;ready&quot;,
    &quot;recipient&quot;: &quot;ann@example.com&quot;,
    &quot;recordingIds&quot;: [
      &quot;rec-1&quot;,
      &quot;rec-2&quot;
    ],
    &quot;attempts&quot;: 0,
    &quot;createdAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;updatedAt&quot;: &quot;2026-01-31T09:00:04.000Z&quot;,
    &quot;aiDispatchedAt&quot;: &quot;2026-01-31T09:00:02.000Z&quot;,
    &quot;aiClaimedBy&quot;: &quot;writer@example.com&quot;,
    &quot;lastError&quot;: null,
    &quot;leaseUntil&quot;: null,
    &quot;leaseToken&quot;: null,
    &quot;generatedSummary&quot;: &quot;Two clips about whales.&quot;,
    &quot;readyAt&quot;: &quot;2026-01-31T09:00:04.000Z&quot;
  }
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#job_not_found"><code>job_not_found</code></a></li>
<li><b>409</b> <a href="#claim_lost"><code>claim_lost</code></a></li>
<li><b>410</b> <a href="#job_expired"><code>job_expired</code></a>, <a href="#erased"><code>erased</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a>, <a href="#record_too_large"><code>record_too_large</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="releaseEmailClaim"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>emails/<wbr>{k}/<wbr>ai-releases</code> <span>emails:write</span></h3>
<p><strong>Give a claim back.</strong></p>
<p>The job waits for its text again. A repeat is refused by its state, <code>awaiting_ai</code>.</p>
<p>Needs a key with the scope <code>emails:write</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>k</code></td><td>string; path</td><td>The logical key, URL-encoded, exactly as it is stored; or <code>sha256:</code> and the 64 lower-case hex digits of its SHA-256, for keys with dot segments and for proxies that decode slashes.</td></tr>
</table></div>
<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>claimant</code></td><td>string</td><td>An email address; trimmed and lower-cased.</td></tr>
<tr><td><code>claimToken</code> <small>optional</small></td><td>string</td><td>Of the claim. Without it the claimant's address alone decides.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;claimant&quot;: &quot;writer@example.com&quot;
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/emails/welcome%3Aann%40example.com/ai-releases&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;claimant&quot;:&quot;writer@example.com&quot;}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;job&quot;: {
    &quot;logicalKey&quot;: &quot;two-clips:ann@example.com&quot;,
    &quot;type&quot;: &quot;two-clips&quot;,
    &quot;state&quot;: &quot;awaiting_ai&quot;,
    &quot;recipient&quot;: &quot;ann@example.com&quot;,
    &quot;recordingIds&quot;: [
      &quot;rec-1&quot;,
      &quot;rec-2&quot;
    ],
    &quot;attempts&quot;: 0,
    &quot;createdAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;updatedAt&quot;: &quot;2026-01-31T09:00:04.000Z&quot;,
    &quot;lastError&quot;: null,
    &quot;leaseUntil&quot;: null,
    &quot;leaseToken&quot;: null
  }
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#job_not_found"><code>job_not_found</code></a></li>
<li><b>409</b> <a href="#claim_lost"><code>claim_lost</code></a></li>
<li><b>410</b> <a href="#job_expired"><code>job_expired</code></a>, <a href="#erased"><code>erased</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="claimNextEmail"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>email-ai-claims</code> <span>emails:write</span></h3>
<p><strong>Claim the job that has waited longest for its text.</strong></p>
<p>204 when no job waits. A lost answer leaves a claim that can be taken over when it is stale.</p>
<p>Needs a key with the scope <code>emails:write</code>.</p>

<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>claimant</code></td><td>string</td><td>An email address; trimmed and lower-cased.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;claimant&quot;: &quot;writer@example.com&quot;
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/email-ai-claims&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;claimant&quot;:&quot;writer@example.com&quot;}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;job&quot;: {
    &quot;logicalKey&quot;: &quot;two-clips:ann@example.com&quot;,
    &quot;type&quot;: &quot;two-clips&quot;,
    &quot;state&quot;: &quot;ai_dispatched&quot;,
    &quot;recipient&quot;: &quot;ann@example.com&quot;,
    &quot;recordingIds&quot;: [
      &quot;rec-1&quot;,
      &quot;rec-2&quot;
    ],
    &quot;attempts&quot;: 0,
    &quot;createdAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;updatedAt&quot;: &quot;2026-01-31T09:00:02.000Z&quot;,
    &quot;aiDispatchedAt&quot;: &quot;2026-01-31T09:00:02.000Z&quot;,
    &quot;aiClaimedBy&quot;: &quot;writer@example.com&quot;,
    &quot;lastError&quot;: null,
    &quot;leaseUntil&quot;: null,
    &quot;leaseToken&quot;: null
  },
  &quot;claimToken&quot;: &quot;6a3f8f0e-6c1c-4f7e-9a51-0d8f1f6f2f55&quot;
}</pre></details></li>
<li><b>204</b> There is nothing to answer with.</li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
</section>
<section><h2 id="email-configuration">Email configuration</h2>
<p>Since when emails are made, and scans' cursors.</p>
<article id="readEmailConfig"><h3><code class="get">GET</code> 
<code>/<wbr>v1/<wbr>email-config</code> <span>emails:read</span></h3>
<p><strong>Since when emails are made, and each scan's cursor.</strong></p>
<p>For the scans that find out which emails are to be made.</p>
<p>Needs a key with the scope <code>emails:read</code>.</p>


<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/email-config&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot;</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;config&quot;: {
    &quot;enabledAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;reminderCursor&quot;: {
      &quot;createdAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
      &quot;id&quot;: &quot;share-1&quot;
    }
  }
}</pre></details></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#config_not_found"><code>config_not_found</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="ensureEmailConfig"><h3><code class="put">PUT</code> 
<code>/<wbr>v1/<wbr>email-config</code> <span>emails:write</span></h3>
<p><strong>Make the configuration unless it is there.</strong></p>
<p>The first call sets <code>enabledAt</code> to its own time; a repeat is answered with what is stored.</p>
<p>Needs a key with the scope <code>emails:write</code>.</p>


<p>For example (at most 1,048,576 bytes. May be left out):</p><pre>{}</pre>
<p>As a command:</p><pre>curl -X PUT &quot;$HOLDFAST_URL/v1/email-config&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> It was there; this is what is stored.</summary><pre>{
  &quot;config&quot;: {
    &quot;enabledAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;reminderCursor&quot;: {
      &quot;createdAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
      &quot;id&quot;: &quot;share-1&quot;
    }
  }
}</pre></details></li>
<li><details><summary><b>201</b> It was made by this call.</summary><pre>{
  &quot;config&quot;: {
    &quot;enabledAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;reminderCursor&quot;: {
      &quot;createdAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
      &quot;id&quot;: &quot;share-1&quot;
    }
  }
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="setEmailCursor"><h3><code class="put">PUT</code> 
<code>/<wbr>v1/<wbr>email-config/<wbr>cursors/<wbr>{name}</code> <span>emails:write</span></h3>
<p><strong>Set one scan's cursor.</strong></p>
<p>A repeat sets the same again.</p>
<p>Needs a key with the scope <code>emails:write</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>name</code></td><td>shareDiscoveryCursor | reminderCursor | firstViewCursor | firstImportCursor; path</td><td>Which scan's cursor.</td></tr>
</table></div>
<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>cursor</code></td><td>object | null</td><td>The last row seen; null: begin again at <code>enabledAt</code>.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;cursor&quot;: {
    &quot;createdAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;id&quot;: &quot;share-1&quot;
  }
}</pre>
<p>As a command:</p><pre>curl -X PUT &quot;$HOLDFAST_URL/v1/email-config/cursors/reminderCursor&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;cursor&quot;:{&quot;createdAt&quot;:&quot;2026-01-31T09:00:00.000Z&quot;,&quot;id&quot;:&quot;share-1&quot;}}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;config&quot;: {
    &quot;enabledAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;reminderCursor&quot;: {
      &quot;createdAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
      &quot;id&quot;: &quot;share-1&quot;
    }
  }
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#config_not_found"><code>config_not_found</code></a>, <a href="#cursor_not_found"><code>cursor_not_found</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
</section>
<section><h2 id="receipts">Receipts</h2>
<p>Operations that happen once, or are known to be unknown.</p>
<article id="listReceipts"><h3><code class="get">GET</code> 
<code>/<wbr>v1/<wbr>receipts</code> <span>receipts:read</span></h3>
<p><strong>A page of receipts.</strong></p>
<p>Within a page by creation time, then id; the pages follow each other in the storage's order. What was there throughout a walk is met exactly once.</p>
<p>Needs a key with the scope <code>receipts:read</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>state</code> <small>optional</small></td><td>prepared | dispatching | accepted | terminal | outcome-unknown; query</td><td>Only receipts in it; <code>outcome-unknown</code> has the resolved ones, too.</td></tr>
<tr><td><code>limit</code> <small>optional</small></td><td>integer; query</td><td>Receipts at most, 1 to 128; default 64.</td></tr>
<tr><td><code>cursor</code> <small>optional</small></td><td>string; query</td><td>The <code>nextCursor</code> of the page before; none for the first.</td></tr>
</table></div>

<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/receipts&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot;</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;receipts&quot;: [
    {
      &quot;version&quot;: 1,
      &quot;id&quot;: &quot;0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f&quot;,
      &quot;principalId&quot;: &quot;default&quot;,
      &quot;workspaceId&quot;: &quot;shop&quot;,
      &quot;sessionId&quot;: &quot;default&quot;,
      &quot;memberId&quot;: &quot;default&quot;,
      &quot;memberGeneration&quot;: 1,
      &quot;tool&quot;: &quot;custom&quot;,
      &quot;action&quot;: &quot;call&quot;,
      &quot;operationId&quot;: &quot;charge-1001&quot;,
      &quot;payloadHash&quot;: &quot;29a414a27a77ff8152d1e556f2df6b6095931e3770da4d7d95feecf8b101ea3a&quot;,
      &quot;state&quot;: &quot;prepared&quot;,
      &quot;createdAt&quot;: 1769850000000,
      &quot;updatedAt&quot;: 1769850000000,
      &quot;preparedAt&quot;: 1769850000000
    }
  ],
  &quot;nextCursor&quot;: null,
  &quot;corrupt&quot;: []
}</pre></details></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a>, <a href="#invalid_cursor"><code>invalid_cursor</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="prepareReceipt"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>receipts</code> <span>receipts:write</span></h3>
<p><strong>Bind an operation to its payload, once.</strong></p>
<p>The first call creates the receipt (201); every later one with the same payload is answered with the stored one (200), whatever its state. Prepare before the side effect; dispatch, run it, and tell its outcome.</p>
<p>Needs a key with the scope <code>receipts:write</code>.</p>

<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>principalId</code> <small>optional</small></td><td>string</td><td>On whose behalf; <code>default</code>.</td></tr>
<tr><td><code>workspaceId</code> <small>optional</small></td><td>string</td><td>Counted together; <code>default</code>.</td></tr>
<tr><td><code>sessionId</code> <small>optional</small></td><td>string</td><td><code>default</code>.</td></tr>
<tr><td><code>memberId</code> <small>optional</small></td><td>string</td><td><code>default</code>.</td></tr>
<tr><td><code>memberGeneration</code> <small>optional</small></td><td>integer</td><td>1.</td></tr>
<tr><td><code>tool</code> <small>optional</small></td><td>string</td><td><code>custom</code>; with <code>action</code> it says what results there are.</td></tr>
<tr><td><code>action</code> <small>optional</small></td><td>string</td><td><code>call</code>.</td></tr>
<tr><td><code>operationId</code></td><td>string</td><td>The caller's own; one id is one payload.</td></tr>
<tr><td><code>payload</code> <small>optional</small></td><td>object</td><td>Hashed and not stored; any JSON. Either this or <code>payloadHash</code>. An integer that a double does not keep, such as 9007199254740993, is refused here as in every body: send it as a string.</td></tr>
<tr><td><code>payloadHash</code> <small>optional</small></td><td>string</td><td>Of the canonical text of the payload: hex SHA-256.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;workspaceId&quot;: &quot;shop&quot;,
  &quot;operationId&quot;: &quot;charge-1001&quot;,
  &quot;payload&quot;: {
    &quot;amount&quot;: 4200
  }
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/receipts&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;workspaceId&quot;:&quot;shop&quot;,&quot;operationId&quot;:&quot;charge-1001&quot;,&quot;payload&quot;:{&quot;amount&quot;:4200}}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> It was there; this is what is stored.</summary><pre>{
  &quot;created&quot;: true,
  &quot;receipt&quot;: {
    &quot;version&quot;: 1,
    &quot;id&quot;: &quot;0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f&quot;,
    &quot;principalId&quot;: &quot;default&quot;,
    &quot;workspaceId&quot;: &quot;shop&quot;,
    &quot;sessionId&quot;: &quot;default&quot;,
    &quot;memberId&quot;: &quot;default&quot;,
    &quot;memberGeneration&quot;: 1,
    &quot;tool&quot;: &quot;custom&quot;,
    &quot;action&quot;: &quot;call&quot;,
    &quot;operationId&quot;: &quot;charge-1001&quot;,
    &quot;payloadHash&quot;: &quot;29a414a27a77ff8152d1e556f2df6b6095931e3770da4d7d95feecf8b101ea3a&quot;,
    &quot;state&quot;: &quot;prepared&quot;,
    &quot;createdAt&quot;: 1769850000000,
    &quot;updatedAt&quot;: 1769850000000,
    &quot;preparedAt&quot;: 1769850000000
  }
}</pre></details></li>
<li><details><summary><b>201</b> It was made by this call.</summary><pre>{
  &quot;created&quot;: true,
  &quot;receipt&quot;: {
    &quot;version&quot;: 1,
    &quot;id&quot;: &quot;0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f&quot;,
    &quot;principalId&quot;: &quot;default&quot;,
    &quot;workspaceId&quot;: &quot;shop&quot;,
    &quot;sessionId&quot;: &quot;default&quot;,
    &quot;memberId&quot;: &quot;default&quot;,
    &quot;memberGeneration&quot;: 1,
    &quot;tool&quot;: &quot;custom&quot;,
    &quot;action&quot;: &quot;call&quot;,
    &quot;operationId&quot;: &quot;charge-1001&quot;,
    &quot;payloadHash&quot;: &quot;29a414a27a77ff8152d1e556f2df6b6095931e3770da4d7d95feecf8b101ea3a&quot;,
    &quot;state&quot;: &quot;prepared&quot;,
    &quot;createdAt&quot;: 1769850000000,
    &quot;updatedAt&quot;: 1769850000000,
    &quot;preparedAt&quot;: 1769850000000
  }
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>410</b> <a href="#operation_expired"><code>operation_expired</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a>, <a href="#operation_receipt_conflict"><code>operation_receipt_conflict</code></a></li>
<li><b>429</b> <a href="#operation_receipt_capacity"><code>operation_receipt_capacity</code></a>, <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="readReceipt"><h3><code class="get">GET</code> 
<code>/<wbr>v1/<wbr>receipts/<wbr>{id}</code> <span>receipts:read</span></h3>
<p><strong>One receipt, and what came too late for it.</strong></p>
<p>What is known of the operation; a person's resolution, where there is one.</p>
<p>Needs a key with the scope <code>receipts:read</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>id</code></td><td>string; path</td><td>A receipt's id: SHA-256 of its key, 64 lower-case hex digits.</td></tr>
</table></div>

<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/receipts/0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot;</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;receipt&quot;: {
    &quot;version&quot;: 1,
    &quot;id&quot;: &quot;0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f&quot;,
    &quot;principalId&quot;: &quot;default&quot;,
    &quot;workspaceId&quot;: &quot;shop&quot;,
    &quot;sessionId&quot;: &quot;default&quot;,
    &quot;memberId&quot;: &quot;default&quot;,
    &quot;memberGeneration&quot;: 1,
    &quot;tool&quot;: &quot;custom&quot;,
    &quot;action&quot;: &quot;call&quot;,
    &quot;operationId&quot;: &quot;charge-1001&quot;,
    &quot;payloadHash&quot;: &quot;29a414a27a77ff8152d1e556f2df6b6095931e3770da4d7d95feecf8b101ea3a&quot;,
    &quot;state&quot;: &quot;outcome-unknown&quot;,
    &quot;createdAt&quot;: 1769850000000,
    &quot;updatedAt&quot;: 1769850060000,
    &quot;preparedAt&quot;: 1769850000000,
    &quot;dispatchingAt&quot;: 1769850001000,
    &quot;outcomeUnknownAt&quot;: 1769850030000,
    &quot;resolution&quot;: {
      &quot;outcome&quot;: &quot;did_not_happen&quot;,
      &quot;resolvedAt&quot;: 1769850060000,
      &quot;resolvedBy&quot;: &quot;operator&quot;,
      &quot;note&quot;: &quot;the provider has no such charge&quot;
    }
  },
  &quot;notes&quot;: [
    {
      &quot;at&quot;: 1769850120000,
      &quot;kind&quot;: &quot;contradiction&quot;,
      &quot;result&quot;: {
        &quot;chargeId&quot;: &quot;ch_1&quot;
      }
    }
  ]
}</pre></details></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#receipt_not_found"><code>receipt_not_found</code></a></li>
<li><b>410</b> <a href="#operation_expired"><code>operation_expired</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="dispatchReceipt"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>receipts/<wbr>{id}/<wbr>dispatches</code> <span>receipts:write</span></h3>
<p><strong>Take the right to run the side effect.</strong></p>
<p><code>owned</code> tells the one caller that runs it. With a <code>dispatchToken</code> of its own, fresh for this call, a repeat is told the same; without one it is minted. Run it only before the lease is over.</p>
<p>Needs a key with the scope <code>receipts:write</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>id</code></td><td>string; path</td><td>A receipt's id: SHA-256 of its key, 64 lower-case hex digits.</td></tr>
</table></div>
<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>dispatchToken</code> <small>optional</small></td><td>string</td><td>The caller's own, random and fresh, so that a repeat is known to be its owner's.</td></tr>
<tr><td><code>leaseMs</code> <small>optional</small></td><td>integer</td><td>From now, in milliseconds: 1 to 86,400,000.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes. May be left out):</p><pre>{
  &quot;dispatchToken&quot;: &quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,
  &quot;leaseMs&quot;: 60000
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/receipts/0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f/dispatches&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;dispatchToken&quot;:&quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,&quot;leaseMs&quot;:60000}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;receipt&quot;: {
    &quot;version&quot;: 1,
    &quot;id&quot;: &quot;0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f&quot;,
    &quot;principalId&quot;: &quot;default&quot;,
    &quot;workspaceId&quot;: &quot;shop&quot;,
    &quot;sessionId&quot;: &quot;default&quot;,
    &quot;memberId&quot;: &quot;default&quot;,
    &quot;memberGeneration&quot;: 1,
    &quot;tool&quot;: &quot;custom&quot;,
    &quot;action&quot;: &quot;call&quot;,
    &quot;operationId&quot;: &quot;charge-1001&quot;,
    &quot;payloadHash&quot;: &quot;29a414a27a77ff8152d1e556f2df6b6095931e3770da4d7d95feecf8b101ea3a&quot;,
    &quot;state&quot;: &quot;dispatching&quot;,
    &quot;createdAt&quot;: 1769850000000,
    &quot;updatedAt&quot;: 1769850001000,
    &quot;preparedAt&quot;: 1769850000000,
    &quot;dispatchingAt&quot;: 1769850001000
  },
  &quot;owned&quot;: true,
  &quot;dispatchToken&quot;: &quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#receipt_not_found"><code>receipt_not_found</code></a></li>
<li><b>409</b> <a href="#invalid_receipt_state"><code>invalid_receipt_state</code></a></li>
<li><b>410</b> <a href="#operation_expired"><code>operation_expired</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="renewDispatch"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>receipts/<wbr>{id}/<wbr>dispatch-renewals</code> <span>receipts:write</span></h3>
<p><strong>Set the end of a dispatch's lease.</strong></p>
<p>From now, also if that is earlier; also after it ran out while nobody took it.</p>
<p>Needs a key with the scope <code>receipts:write</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>id</code></td><td>string; path</td><td>A receipt's id: SHA-256 of its key, 64 lower-case hex digits.</td></tr>
</table></div>
<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>dispatchToken</code></td><td>string</td><td>Of the dispatch, as it was answered.</td></tr>
<tr><td><code>leaseMs</code></td><td>integer</td><td>From now, in milliseconds: 1 to 86,400,000.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;dispatchToken&quot;: &quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,
  &quot;leaseMs&quot;: 60000
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/receipts/0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f/dispatch-renewals&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;dispatchToken&quot;:&quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,&quot;leaseMs&quot;:60000}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;receipt&quot;: {
    &quot;version&quot;: 1,
    &quot;id&quot;: &quot;0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f&quot;,
    &quot;principalId&quot;: &quot;default&quot;,
    &quot;workspaceId&quot;: &quot;shop&quot;,
    &quot;sessionId&quot;: &quot;default&quot;,
    &quot;memberId&quot;: &quot;default&quot;,
    &quot;memberGeneration&quot;: 1,
    &quot;tool&quot;: &quot;custom&quot;,
    &quot;action&quot;: &quot;call&quot;,
    &quot;operationId&quot;: &quot;charge-1001&quot;,
    &quot;payloadHash&quot;: &quot;29a414a27a77ff8152d1e556f2df6b6095931e3770da4d7d95feecf8b101ea3a&quot;,
    &quot;state&quot;: &quot;accepted&quot;,
    &quot;createdAt&quot;: 1769850000000,
    &quot;updatedAt&quot;: 1769850002000,
    &quot;preparedAt&quot;: 1769850000000,
    &quot;dispatchingAt&quot;: 1769850001000,
    &quot;acceptedAt&quot;: 1769850002000,
    &quot;result&quot;: {
      &quot;chargeId&quot;: &quot;ch_1&quot;
    }
  }
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#receipt_not_found"><code>receipt_not_found</code></a></li>
<li><b>409</b> <a href="#dispatch_lost"><code>dispatch_lost</code></a></li>
<li><b>410</b> <a href="#operation_expired"><code>operation_expired</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="acceptReceipt"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>receipts/<wbr>{id}/<wbr>acceptances</code> <span>receipts:write</span></h3>
<p><strong>Tell what came of the side effect.</strong></p>
<p>By the owner of the dispatch, also while the outcome is unknown and nobody has resolved it. The same result again is answered and not written. After a resolution the report is kept as a note.</p>
<p>Needs a key with the scope <code>receipts:write</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>id</code></td><td>string; path</td><td>A receipt's id: SHA-256 of its key, 64 lower-case hex digits.</td></tr>
</table></div>
<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>result</code></td><td>object</td><td>What came of it: a result of the receipt's tool and action.</td></tr>
<tr><td><code>dispatchToken</code> <small>optional</small></td><td>string</td><td>Of the dispatch, as it was answered.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;result&quot;: {
    &quot;chargeId&quot;: &quot;ch_1&quot;
  },
  &quot;dispatchToken&quot;: &quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/receipts/0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f/acceptances&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;result&quot;:{&quot;chargeId&quot;:&quot;ch_1&quot;},&quot;dispatchToken&quot;:&quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;receipt&quot;: {
    &quot;version&quot;: 1,
    &quot;id&quot;: &quot;0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f&quot;,
    &quot;principalId&quot;: &quot;default&quot;,
    &quot;workspaceId&quot;: &quot;shop&quot;,
    &quot;sessionId&quot;: &quot;default&quot;,
    &quot;memberId&quot;: &quot;default&quot;,
    &quot;memberGeneration&quot;: 1,
    &quot;tool&quot;: &quot;custom&quot;,
    &quot;action&quot;: &quot;call&quot;,
    &quot;operationId&quot;: &quot;charge-1001&quot;,
    &quot;payloadHash&quot;: &quot;29a414a27a77ff8152d1e556f2df6b6095931e3770da4d7d95feecf8b101ea3a&quot;,
    &quot;state&quot;: &quot;accepted&quot;,
    &quot;createdAt&quot;: 1769850000000,
    &quot;updatedAt&quot;: 1769850002000,
    &quot;preparedAt&quot;: 1769850000000,
    &quot;dispatchingAt&quot;: 1769850001000,
    &quot;acceptedAt&quot;: 1769850002000,
    &quot;result&quot;: {
      &quot;chargeId&quot;: &quot;ch_1&quot;
    }
  }
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#receipt_not_found"><code>receipt_not_found</code></a></li>
<li><b>409</b> <a href="#invalid_receipt_state"><code>invalid_receipt_state</code></a>, <a href="#dispatch_lost"><code>dispatch_lost</code></a>, <a href="#already_resolved"><code>already_resolved</code></a></li>
<li><b>410</b> <a href="#operation_expired"><code>operation_expired</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a>, <a href="#operation_receipt_conflict"><code>operation_receipt_conflict</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="completeReceipt"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>receipts/<wbr>{id}/<wbr>completions</code> <span>receipts:write</span></h3>
<p><strong>Make an accepted receipt terminal.</strong></p>
<p>Its result stays; a repeat changes nothing.</p>
<p>Needs a key with the scope <code>receipts:write</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>id</code></td><td>string; path</td><td>A receipt's id: SHA-256 of its key, 64 lower-case hex digits.</td></tr>
</table></div>

<p>For example (at most 1,048,576 bytes. May be left out):</p><pre>{}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/receipts/0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f/completions&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;receipt&quot;: {
    &quot;version&quot;: 1,
    &quot;id&quot;: &quot;0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f&quot;,
    &quot;principalId&quot;: &quot;default&quot;,
    &quot;workspaceId&quot;: &quot;shop&quot;,
    &quot;sessionId&quot;: &quot;default&quot;,
    &quot;memberId&quot;: &quot;default&quot;,
    &quot;memberGeneration&quot;: 1,
    &quot;tool&quot;: &quot;custom&quot;,
    &quot;action&quot;: &quot;call&quot;,
    &quot;operationId&quot;: &quot;charge-1001&quot;,
    &quot;payloadHash&quot;: &quot;29a414a27a77ff8152d1e556f2df6b6095931e3770da4d7d95feecf8b101ea3a&quot;,
    &quot;state&quot;: &quot;accepted&quot;,
    &quot;createdAt&quot;: 1769850000000,
    &quot;updatedAt&quot;: 1769850002000,
    &quot;preparedAt&quot;: 1769850000000,
    &quot;dispatchingAt&quot;: 1769850001000,
    &quot;acceptedAt&quot;: 1769850002000,
    &quot;result&quot;: {
      &quot;chargeId&quot;: &quot;ch_1&quot;
    }
  }
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#receipt_not_found"><code>receipt_not_found</code></a></li>
<li><b>409</b> <a href="#invalid_receipt_state"><code>invalid_receipt_state</code></a></li>
<li><b>410</b> <a href="#operation_expired"><code>operation_expired</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="markReceiptUnknown"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>receipts/<wbr>{id}/<wbr>unknowns</code> <span>receipts:write</span></h3>
<p><strong>Say that nobody can tell what came of it.</strong></p>
<p>By the owner at once; by anybody else when the dispatch has lapsed.</p>
<p>Needs a key with the scope <code>receipts:write</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>id</code></td><td>string; path</td><td>A receipt's id: SHA-256 of its key, 64 lower-case hex digits.</td></tr>
</table></div>
<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>dispatchToken</code> <small>optional</small></td><td>string</td><td>Of the dispatch, as it was answered.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes. May be left out):</p><pre>{
  &quot;dispatchToken&quot;: &quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/receipts/0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f/unknowns&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;dispatchToken&quot;:&quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;receipt&quot;: {
    &quot;version&quot;: 1,
    &quot;id&quot;: &quot;0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f&quot;,
    &quot;principalId&quot;: &quot;default&quot;,
    &quot;workspaceId&quot;: &quot;shop&quot;,
    &quot;sessionId&quot;: &quot;default&quot;,
    &quot;memberId&quot;: &quot;default&quot;,
    &quot;memberGeneration&quot;: 1,
    &quot;tool&quot;: &quot;custom&quot;,
    &quot;action&quot;: &quot;call&quot;,
    &quot;operationId&quot;: &quot;charge-1001&quot;,
    &quot;payloadHash&quot;: &quot;29a414a27a77ff8152d1e556f2df6b6095931e3770da4d7d95feecf8b101ea3a&quot;,
    &quot;state&quot;: &quot;accepted&quot;,
    &quot;createdAt&quot;: 1769850000000,
    &quot;updatedAt&quot;: 1769850002000,
    &quot;preparedAt&quot;: 1769850000000,
    &quot;dispatchingAt&quot;: 1769850001000,
    &quot;acceptedAt&quot;: 1769850002000,
    &quot;result&quot;: {
      &quot;chargeId&quot;: &quot;ch_1&quot;
    }
  }
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#receipt_not_found"><code>receipt_not_found</code></a></li>
<li><b>409</b> <a href="#invalid_receipt_state"><code>invalid_receipt_state</code></a>, <a href="#dispatch_lost"><code>dispatch_lost</code></a></li>
<li><b>410</b> <a href="#operation_expired"><code>operation_expired</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="resolveReceipt"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>receipts/<wbr>{id}/<wbr>resolutions</code> <span>receipts:write</span></h3>
<p><strong>A person's answer to an unknown outcome.</strong></p>
<p>The first answer stands for ever; the same again, by whatever key, is answered as before. <code>did_not_happen</code> does not reopen the operation: its caller takes a new id. The state stays <code>outcome-unknown</code>, with the answer as <code>resolution</code>. A receipt that the <code>Idempotency-Key</code> middleware made has the tool <code>http</code>; its result is the response that its caller is sent from then on: <code>status</code>, <code>headers</code> (pairs of name and value) and <code>body</code> (<code>encoding</code>: <code>text</code> or <code>base64</code>, and <code>data</code>; or null: not kept).</p>
<p>Needs a key with the scope <code>receipts:write</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>id</code></td><td>string; path</td><td>A receipt's id: SHA-256 of its key, 64 lower-case hex digits.</td></tr>
</table></div>
<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>outcome</code></td><td>happened</td><td>What is said of the outcome; the first answer stands for ever.</td></tr>
<tr><td><code>result</code></td><td>object</td><td>What the operation resulted in, null too: a result of its tool and action.</td></tr>
<tr><td><code>by</code> <small>optional</small></td><td>string</td><td>Who says so, where a key is several people's: <code>resolvedBy</code> is then <code>&lt;key id&gt;/&lt;by&gt;</code>.</td></tr>
<tr><td><code>note</code> <small>optional</small></td><td>string</td><td>Why, for other people.</td></tr>
</table></div>
<div class="wide"><table><tr><th>Or</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>outcome</code></td><td>did_not_happen | abandoned</td><td>What is said of the outcome; the first answer stands for ever.</td></tr>
<tr><td><code>by</code> <small>optional</small></td><td>string</td><td>Who says so, where a key is several people's: <code>resolvedBy</code> is then <code>&lt;key id&gt;/&lt;by&gt;</code>.</td></tr>
<tr><td><code>note</code> <small>optional</small></td><td>string</td><td>Why, for other people.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;outcome&quot;: &quot;did_not_happen&quot;,
  &quot;note&quot;: &quot;the provider has no such charge&quot;
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/receipts/0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f/resolutions&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;outcome&quot;:&quot;did_not_happen&quot;,&quot;note&quot;:&quot;the provider has no such charge&quot;}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;receipt&quot;: {
    &quot;version&quot;: 1,
    &quot;id&quot;: &quot;0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f&quot;,
    &quot;principalId&quot;: &quot;default&quot;,
    &quot;workspaceId&quot;: &quot;shop&quot;,
    &quot;sessionId&quot;: &quot;default&quot;,
    &quot;memberId&quot;: &quot;default&quot;,
    &quot;memberGeneration&quot;: 1,
    &quot;tool&quot;: &quot;custom&quot;,
    &quot;action&quot;: &quot;call&quot;,
    &quot;operationId&quot;: &quot;charge-1001&quot;,
    &quot;payloadHash&quot;: &quot;29a414a27a77ff8152d1e556f2df6b6095931e3770da4d7d95feecf8b101ea3a&quot;,
    &quot;state&quot;: &quot;accepted&quot;,
    &quot;createdAt&quot;: 1769850000000,
    &quot;updatedAt&quot;: 1769850002000,
    &quot;preparedAt&quot;: 1769850000000,
    &quot;dispatchingAt&quot;: 1769850001000,
    &quot;acceptedAt&quot;: 1769850002000,
    &quot;result&quot;: {
      &quot;chargeId&quot;: &quot;ch_1&quot;
    }
  }
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#receipt_not_found"><code>receipt_not_found</code></a></li>
<li><b>409</b> <a href="#invalid_receipt_state"><code>invalid_receipt_state</code></a>, <a href="#dispatch_live"><code>dispatch_live</code></a>, <a href="#already_resolved"><code>already_resolved</code></a></li>
<li><b>410</b> <a href="#operation_expired"><code>operation_expired</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="recoverReceipts"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>receipt-recoveries</code> <span>ops</span></h3>
<p><strong>Make lapsed dispatches unknown.</strong></p>
<p>One page of what is due; a live dispatch is never touched. Every pass does the same by itself.</p>
<p>Needs a key with the scope <code>ops</code>.</p>

<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>cursor</code> <small>optional</small></td><td>string</td><td>The <code>nextCursor</code> of the page before; none for the first.</td></tr>
<tr><td><code>limit</code> <small>optional</small></td><td>integer</td><td>Entries at most, 1 to 128; default 64.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes. May be left out):</p><pre>{
  &quot;limit&quot;: 64
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/receipt-recoveries&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;limit&quot;:64}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;recovered&quot;: 1,
  &quot;scanned&quot;: 2,
  &quot;nextCursor&quot;: null
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a>, <a href="#invalid_cursor"><code>invalid_cursor</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
</section>
<section><h2 id="queries">Queries</h2>
<p>Questions to an AI, who answers them, and what came of them.</p>
<article id="listQueries"><h3><code class="get">GET</code> 
<code>/<wbr>v1/<wbr>query-jobs</code> <span>queries:read</span></h3>
<p><strong>A page of query jobs: the latest generation of each client job.</strong></p>
<p>Within a page by admission time, then id; the pages follow each other in the storage's order, and with <code>?status=accepted</code>, which is how a runner finds work, the longest waiting first.</p>
<p>Needs a key with the scope <code>queries:read</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>status</code> <small>optional</small></td><td>accepted | starting | running | answer_ready | completed | failed | canceled | interrupted; query</td><td>Only jobs in it.</td></tr>
<tr><td><code>limit</code> <small>optional</small></td><td>integer; query</td><td>Jobs at most, 1 to 100; default 50.</td></tr>
<tr><td><code>cursor</code> <small>optional</small></td><td>string; query</td><td>The <code>nextCursor</code> of the page before; none for the first.</td></tr>
</table></div>

<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/query-jobs&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot;</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;jobs&quot;: [
    {
      &quot;schemaVersion&quot;: 1,
      &quot;jobId&quot;: &quot;7c9e6679-7425-40de-944b-e07fc1f90ae7&quot;,
      &quot;clientJobId&quot;: &quot;3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f&quot;,
      &quot;generation&quot;: 1,
      &quot;turnId&quot;: &quot;0f8fad5b-d9cb-469f-a165-70867728950e&quot;,
      &quot;requestFingerprint&quot;: &quot;0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f&quot;,
      &quot;status&quot;: &quot;accepted&quot;,
      &quot;eventSeq&quot;: 1,
      &quot;oldestEventSeq&quot;: 1,
      &quot;sessionId&quot;: &quot;chat-42&quot;,
      &quot;attachments&quot;: [],
      &quot;partialText&quot;: &quot;&quot;,
      &quot;partialTruncated&quot;: false,
      &quot;activity&quot;: [],
      &quot;acceptedAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
      &quot;updatedAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
      &quot;retentionUntil&quot;: &quot;2026-02-07T09:00:00.000Z&quot;
    }
  ],
  &quot;nextCursor&quot;: null,
  &quot;corrupt&quot;: []
}</pre></details></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a>, <a href="#invalid_cursor"><code>invalid_cursor</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="submitQuery"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>query-jobs</code> <span>queries:write</span></h3>
<p><strong>Ask something, once.</strong></p>
<p>Answered as soon as the request is stored: the first call makes the job; the same request again, also after its end, is answered with the stored one. One generation of a client job at a time.</p>
<p>Needs a key with the scope <code>queries:write</code>.</p>

<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>clientJobId</code></td><td>string</td><td>The client's own UUID of version 4, kept for repeats and later generations.</td></tr>
<tr><td><code>generation</code></td><td>integer</td><td>Which attempt of the client job: 1, then higher.</td></tr>
<tr><td><code>query</code></td><td>string</td><td>The prompt. May be blank where there is an attachment.</td></tr>
<tr><td><code>sessionId</code></td><td>string</td><td>The conversation that it belongs to; one run of a session at a time.</td></tr>
<tr><td><code>model</code> <small>optional</small></td><td>string | null</td><td>Which model is wanted. At most 64 characters; null or empty: none.</td></tr>
<tr><td><code>effort</code> <small>optional</small></td><td>string | null</td><td>How hard it is to think. At most 32 characters; null or empty: none.</td></tr>
<tr><td><code>messageEra</code> <small>optional</small></td><td>string | null</td><td>The client's own label of the conversation's part. At most 80 characters; null or empty: none.</td></tr>
<tr><td><code>globalMsgNum</code> <small>optional</small></td><td>integer | null</td><td>The client's own number of the message.</td></tr>
<tr><td><code>handoffCode</code> <small>optional</small></td><td>string | null</td><td>The client's own label of a handoff. At most 128 characters; null or empty: none.</td></tr>
<tr><td><code>handoffLatest</code> <small>optional</small></td><td>boolean</td><td>Kept only when it is true.</td></tr>
<tr><td><code>clientQueueItemId</code> <small>optional</small></td><td>string | null</td><td>The client's own label of its queue's item. At most 120 characters; null or empty: none.</td></tr>
<tr><td><code>reference</code> <small>optional</small></td><td>object | null</td><td>An earlier query and its response.</td></tr>
<tr><td><code>attachmentIds</code> <small>optional</small></td><td>array of string</td><td>Ids of pictures; the first 5 valid ones are kept.</td></tr>
<tr><td><code>attachmentRefs</code> <small>optional</small></td><td>array of object</td><td>Pictures; the first 5 valid ones are kept.</td></tr>
<tr><td><code>activityToolMode</code> <small>optional</small></td><td>off | preview | status</td><td>How much of the tools' activity is shown; <code>status</code> without it.</td></tr>
</table></div>
<p>For example (at most 2,097,152 bytes. May be left out):</p><pre>{
  &quot;clientJobId&quot;: &quot;3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f&quot;,
  &quot;generation&quot;: 1,
  &quot;query&quot;: &quot;Are whales fish?&quot;,
  &quot;sessionId&quot;: &quot;chat-42&quot;
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/query-jobs&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;clientJobId&quot;:&quot;3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f&quot;,&quot;generation&quot;:1,&quot;query&quot;:&quot;Are whales fish?&quot;,&quot;sessionId&quot;:&quot;chat-42&quot;}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>202</b> It is stored; who made it is told by <code>created</code>.</summary><pre>{
  &quot;created&quot;: true,
  &quot;job&quot;: {
    &quot;schemaVersion&quot;: 1,
    &quot;jobId&quot;: &quot;7c9e6679-7425-40de-944b-e07fc1f90ae7&quot;,
    &quot;clientJobId&quot;: &quot;3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f&quot;,
    &quot;generation&quot;: 1,
    &quot;turnId&quot;: &quot;0f8fad5b-d9cb-469f-a165-70867728950e&quot;,
    &quot;requestFingerprint&quot;: &quot;0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f&quot;,
    &quot;status&quot;: &quot;accepted&quot;,
    &quot;eventSeq&quot;: 1,
    &quot;oldestEventSeq&quot;: 1,
    &quot;sessionId&quot;: &quot;chat-42&quot;,
    &quot;attachments&quot;: [],
    &quot;partialText&quot;: &quot;&quot;,
    &quot;partialTruncated&quot;: false,
    &quot;activity&quot;: [],
    &quot;acceptedAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;updatedAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;retentionUntil&quot;: &quot;2026-02-07T09:00:00.000Z&quot;
  }
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#query_job_not_found"><code>query_job_not_found</code></a></li>
<li><b>409</b> <a href="#provider_orphan_fence"><code>provider_orphan_fence</code></a>, <a href="#job_identity_conflict"><code>job_identity_conflict</code></a>, <a href="#job_generation_active"><code>job_generation_active</code></a>, <a href="#job_generation_out_of_order"><code>job_generation_out_of_order</code></a></li>
<li><b>410</b> <a href="#erased"><code>erased</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a>, <a href="#invalid_client_job_id"><code>invalid_client_job_id</code></a>, <a href="#invalid_generation"><code>invalid_generation</code></a>, <a href="#invalid_query"><code>invalid_query</code></a>, <a href="#query_too_large"><code>query_too_large</code></a>, <a href="#query_or_attachment_required"><code>query_or_attachment_required</code></a>, <a href="#invalid_session_id"><code>invalid_session_id</code></a>, <a href="#invalid_model"><code>invalid_model</code></a>, <a href="#invalid_effort"><code>invalid_effort</code></a>, <a href="#invalid_message_era"><code>invalid_message_era</code></a>, <a href="#invalid_handoff_code"><code>invalid_handoff_code</code></a>, <a href="#invalid_client_queue_item_id"><code>invalid_client_queue_item_id</code></a>, <a href="#invalid_global_msg_num"><code>invalid_global_msg_num</code></a>, <a href="#invalid_reference"><code>invalid_reference</code></a>, <a href="#invalid_reference_query"><code>invalid_reference_query</code></a>, <a href="#reference_query_too_large"><code>reference_query_too_large</code></a>, <a href="#invalid_reference_response"><code>invalid_reference_response</code></a>, <a href="#reference_response_too_large"><code>reference_response_too_large</code></a></li>
<li><b>429</b> <a href="#job_history_full"><code>job_history_full</code></a>, <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="findQuery"><h3><code class="get">GET</code> 
<code>/<wbr>v1/<wbr>query-jobs/<wbr>by-client/<wbr>{clientJobId}</code> <span>queries:read</span></h3>
<p><strong>The job of a client job id and generation.</strong></p>
<p>For whoever lost the answer to a submission.</p>
<p>Needs a key with the scope <code>queries:read</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>clientJobId</code></td><td>string; path</td><td>The id that the client took for its job: a UUID of version 4, in any case.</td></tr>
<tr><td><code>generation</code></td><td>integer; query</td><td>Of the job that is meant.</td></tr>
</table></div>

<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/query-jobs/by-client/3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f?generation=1&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot;</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;job&quot;: {
    &quot;schemaVersion&quot;: 1,
    &quot;jobId&quot;: &quot;7c9e6679-7425-40de-944b-e07fc1f90ae7&quot;,
    &quot;clientJobId&quot;: &quot;3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f&quot;,
    &quot;generation&quot;: 1,
    &quot;turnId&quot;: &quot;0f8fad5b-d9cb-469f-a165-70867728950e&quot;,
    &quot;requestFingerprint&quot;: &quot;0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f&quot;,
    &quot;status&quot;: &quot;completed&quot;,
    &quot;eventSeq&quot;: 5,
    &quot;oldestEventSeq&quot;: 1,
    &quot;sessionId&quot;: &quot;chat-42&quot;,
    &quot;attachments&quot;: [],
    &quot;partialText&quot;: &quot;Whales are mammals.&quot;,
    &quot;partialTruncated&quot;: false,
    &quot;activity&quot;: [],
    &quot;acceptedAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;updatedAt&quot;: &quot;2026-01-31T09:00:05.000Z&quot;,
    &quot;retentionUntil&quot;: &quot;2026-02-07T09:00:00.000Z&quot;,
    &quot;response&quot;: &quot;Whales are mammals.&quot;,
    &quot;responseTruncated&quot;: false,
    &quot;startedAt&quot;: &quot;2026-01-31T09:00:02.000Z&quot;,
    &quot;completedAt&quot;: &quot;2026-01-31T09:00:05.000Z&quot;,
    &quot;provider&quot;: &quot;claude&quot;
  }
}</pre></details></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#query_job_not_found"><code>query_job_not_found</code></a></li>
<li><b>410</b> <a href="#erased"><code>erased</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a>, <a href="#invalid_generation"><code>invalid_generation</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="readQuery"><h3><code class="get">GET</code> 
<code>/<wbr>v1/<wbr>query-jobs/<wbr>{jobId}</code> <span>queries:read</span></h3>
<p><strong>One query job.</strong></p>
<p>With its answer so far. It never holds what was asked.</p>
<p>Needs a key with the scope <code>queries:read</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>jobId</code></td><td>string; path</td><td>A query job's id, in any case.</td></tr>
<tr><td><code>generation</code></td><td>integer; query</td><td>Of the job that is meant.</td></tr>
</table></div>

<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7?generation=1&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot;</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;job&quot;: {
    &quot;schemaVersion&quot;: 1,
    &quot;jobId&quot;: &quot;7c9e6679-7425-40de-944b-e07fc1f90ae7&quot;,
    &quot;clientJobId&quot;: &quot;3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f&quot;,
    &quot;generation&quot;: 1,
    &quot;turnId&quot;: &quot;0f8fad5b-d9cb-469f-a165-70867728950e&quot;,
    &quot;requestFingerprint&quot;: &quot;0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f&quot;,
    &quot;status&quot;: &quot;completed&quot;,
    &quot;eventSeq&quot;: 5,
    &quot;oldestEventSeq&quot;: 1,
    &quot;sessionId&quot;: &quot;chat-42&quot;,
    &quot;attachments&quot;: [],
    &quot;partialText&quot;: &quot;Whales are mammals.&quot;,
    &quot;partialTruncated&quot;: false,
    &quot;activity&quot;: [],
    &quot;acceptedAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;updatedAt&quot;: &quot;2026-01-31T09:00:05.000Z&quot;,
    &quot;retentionUntil&quot;: &quot;2026-02-07T09:00:00.000Z&quot;,
    &quot;response&quot;: &quot;Whales are mammals.&quot;,
    &quot;responseTruncated&quot;: false,
    &quot;startedAt&quot;: &quot;2026-01-31T09:00:02.000Z&quot;,
    &quot;completedAt&quot;: &quot;2026-01-31T09:00:05.000Z&quot;,
    &quot;provider&quot;: &quot;claude&quot;
  }
}</pre></details></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#query_job_not_found"><code>query_job_not_found</code></a></li>
<li><b>409</b> <a href="#query_job_generation_mismatch"><code>query_job_generation_mismatch</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a>, <a href="#invalid_generation"><code>invalid_generation</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="cancelQuery"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>query-jobs/<wbr>{jobId}/<wbr>cancel</code> <span>queries:write</span></h3>
<p><strong>Give a query up.</strong></p>
<p>Of a job that has ended it changes nothing: <code>applied: false</code>.</p>
<p>Needs a key with the scope <code>queries:write</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>jobId</code></td><td>string; path</td><td>A query job's id, in any case.</td></tr>
</table></div>
<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>generation</code></td><td>integer</td><td>Of the job that is meant.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;generation&quot;: 1
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7/cancel&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;generation&quot;:1}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;applied&quot;: true,
  &quot;job&quot;: {
    &quot;schemaVersion&quot;: 1,
    &quot;jobId&quot;: &quot;7c9e6679-7425-40de-944b-e07fc1f90ae7&quot;,
    &quot;clientJobId&quot;: &quot;3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f&quot;,
    &quot;generation&quot;: 1,
    &quot;turnId&quot;: &quot;0f8fad5b-d9cb-469f-a165-70867728950e&quot;,
    &quot;requestFingerprint&quot;: &quot;0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f&quot;,
    &quot;status&quot;: &quot;canceled&quot;,
    &quot;eventSeq&quot;: 2,
    &quot;oldestEventSeq&quot;: 1,
    &quot;sessionId&quot;: &quot;chat-42&quot;,
    &quot;attachments&quot;: [],
    &quot;partialText&quot;: &quot;&quot;,
    &quot;partialTruncated&quot;: false,
    &quot;activity&quot;: [],
    &quot;acceptedAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;updatedAt&quot;: &quot;2026-01-31T09:00:01.000Z&quot;,
    &quot;retentionUntil&quot;: &quot;2026-02-07T09:00:00.000Z&quot;,
    &quot;error&quot;: {
      &quot;code&quot;: &quot;canceled&quot;,
      &quot;message&quot;: &quot;The query was canceled.&quot;
    },
    &quot;completedAt&quot;: &quot;2026-01-31T09:00:01.000Z&quot;
  }
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#query_job_not_found"><code>query_job_not_found</code></a></li>
<li><b>409</b> <a href="#query_job_generation_mismatch"><code>query_job_generation_mismatch</code></a>, <a href="#query_job_answer_committing"><code>query_job_answer_committing</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a>, <a href="#invalid_generation"><code>invalid_generation</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="acknowledgeQuery"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>query-jobs/<wbr>{jobId}/<wbr>ack</code> <span>queries:write</span></h3>
<p><strong>Tell that its reader has the end.</strong></p>
<p>Noted once; a repeat changes nothing: <code>applied: false</code>.</p>
<p>Needs a key with the scope <code>queries:write</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>jobId</code></td><td>string; path</td><td>A query job's id, in any case.</td></tr>
</table></div>
<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>generation</code></td><td>integer</td><td>Of the job that is meant.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;generation&quot;: 1
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7/ack&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;generation&quot;:1}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;applied&quot;: true,
  &quot;job&quot;: {
    &quot;schemaVersion&quot;: 1,
    &quot;jobId&quot;: &quot;7c9e6679-7425-40de-944b-e07fc1f90ae7&quot;,
    &quot;clientJobId&quot;: &quot;3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f&quot;,
    &quot;generation&quot;: 1,
    &quot;turnId&quot;: &quot;0f8fad5b-d9cb-469f-a165-70867728950e&quot;,
    &quot;requestFingerprint&quot;: &quot;0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f&quot;,
    &quot;status&quot;: &quot;completed&quot;,
    &quot;eventSeq&quot;: 6,
    &quot;oldestEventSeq&quot;: 1,
    &quot;sessionId&quot;: &quot;chat-42&quot;,
    &quot;attachments&quot;: [],
    &quot;partialText&quot;: &quot;Whales are mammals.&quot;,
    &quot;partialTruncated&quot;: false,
    &quot;activity&quot;: [],
    &quot;acceptedAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;updatedAt&quot;: &quot;2026-01-31T09:00:06.000Z&quot;,
    &quot;retentionUntil&quot;: &quot;2026-02-07T09:00:00.000Z&quot;,
    &quot;response&quot;: &quot;Whales are mammals.&quot;,
    &quot;responseTruncated&quot;: false,
    &quot;startedAt&quot;: &quot;2026-01-31T09:00:02.000Z&quot;,
    &quot;completedAt&quot;: &quot;2026-01-31T09:00:05.000Z&quot;,
    &quot;provider&quot;: &quot;claude&quot;,
    &quot;acknowledgedAt&quot;: &quot;2026-01-31T09:00:06.000Z&quot;
  }
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#query_job_not_found"><code>query_job_not_found</code></a></li>
<li><b>409</b> <a href="#query_job_generation_mismatch"><code>query_job_generation_mismatch</code></a>, <a href="#query_job_not_terminal"><code>query_job_not_terminal</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a>, <a href="#invalid_generation"><code>invalid_generation</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="startQuery"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>query-jobs/<wbr>{jobId}/<wbr>runs</code> <span>queries:run</span></h3>
<p><strong>Take the run of an accepted job.</strong></p>
<p>One caller gets it, with the request and the <code>leaseToken</code> that every further call brings. With a <code>leaseToken</code> of its own, fresh for this call, a repeat gets the same run. A job that is not accepted any more is answered with <code>applied: false</code>.</p>
<p>Needs a key with the scope <code>queries:run</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>jobId</code></td><td>string; path</td><td>A query job's id, in any case.</td></tr>
</table></div>
<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>generation</code></td><td>integer</td><td>Of the job that is meant.</td></tr>
<tr><td><code>leaseMs</code> <small>optional</small></td><td>integer</td><td>From now, in milliseconds: 1 to 86,400,000; the service's own (60,000) without it.</td></tr>
<tr><td><code>leaseToken</code> <small>optional</small></td><td>string</td><td>The caller's own, random and fresh, so that a repeat gets the same run.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;generation&quot;: 1,
  &quot;leaseMs&quot;: 60000,
  &quot;leaseToken&quot;: &quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7/runs&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;generation&quot;:1,&quot;leaseMs&quot;:60000,&quot;leaseToken&quot;:&quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;applied&quot;: true,
  &quot;job&quot;: {
    &quot;schemaVersion&quot;: 1,
    &quot;jobId&quot;: &quot;7c9e6679-7425-40de-944b-e07fc1f90ae7&quot;,
    &quot;clientJobId&quot;: &quot;3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f&quot;,
    &quot;generation&quot;: 1,
    &quot;turnId&quot;: &quot;0f8fad5b-d9cb-469f-a165-70867728950e&quot;,
    &quot;requestFingerprint&quot;: &quot;0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f&quot;,
    &quot;status&quot;: &quot;starting&quot;,
    &quot;eventSeq&quot;: 2,
    &quot;oldestEventSeq&quot;: 1,
    &quot;sessionId&quot;: &quot;chat-42&quot;,
    &quot;attachments&quot;: [],
    &quot;partialText&quot;: &quot;&quot;,
    &quot;partialTruncated&quot;: false,
    &quot;activity&quot;: [],
    &quot;acceptedAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;updatedAt&quot;: &quot;2026-01-31T09:00:01.000Z&quot;,
    &quot;retentionUntil&quot;: &quot;2026-02-07T09:00:00.000Z&quot;
  },
  &quot;request&quot;: {
    &quot;clientJobId&quot;: &quot;3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f&quot;,
    &quot;generation&quot;: 1,
    &quot;query&quot;: &quot;Are whales fish?&quot;,
    &quot;sessionId&quot;: &quot;chat-42&quot;,
    &quot;attachmentIds&quot;: [],
    &quot;attachmentRefs&quot;: [],
    &quot;activityToolMode&quot;: &quot;status&quot;
  },
  &quot;leaseToken&quot;: &quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,
  &quot;position&quot;: &quot;2-2&quot;
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#query_job_not_found"><code>query_job_not_found</code></a></li>
<li><b>409</b> <a href="#query_job_generation_mismatch"><code>query_job_generation_mismatch</code></a>, <a href="#provider_orphan_fence"><code>provider_orphan_fence</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a>, <a href="#invalid_generation"><code>invalid_generation</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="heartbeatQuery"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>query-jobs/<wbr>{jobId}/<wbr>heartbeats</code> <span>queries:run</span></h3>
<p><strong>Keep the run.</strong></p>
<p>Sets the end of its lease, also if that is earlier; also after it ran out while nobody ended the run. Whatever else the run tells keeps it, too.</p>
<p>Needs a key with the scope <code>queries:run</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>jobId</code></td><td>string; path</td><td>A query job's id, in any case.</td></tr>
<tr><td><code>job</code> <small>optional</small></td><td>full; query</td><td><code>full</code>: the answer has the job, too.</td></tr>
</table></div>
<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>leaseToken</code></td><td>string</td><td>Of the run, as its start answered it.</td></tr>
<tr><td><code>requestId</code> <small>optional</small></td><td>string</td><td>The caller's own, unique for each call: makes a repeat of it write nothing more.</td></tr>
<tr><td><code>position</code> <small>optional</small></td><td>string</td><td>Of this run's last answer; the same again with a repeat.</td></tr>
<tr><td><code>leaseMs</code> <small>optional</small></td><td>integer</td><td>From now, in milliseconds: 1 to 86,400,000; the service's own (60,000) without it.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;leaseToken&quot;: &quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,
  &quot;leaseMs&quot;: 60000
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7/heartbeats&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;leaseToken&quot;:&quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,&quot;leaseMs&quot;:60000}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;applied&quot;: true,
  &quot;eventSeq&quot;: 3,
  &quot;status&quot;: &quot;running&quot;,
  &quot;position&quot;: &quot;3-3&quot;
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#query_job_not_found"><code>query_job_not_found</code></a></li>
<li><b>409</b> <a href="#lease_lost"><code>lease_lost</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a>, <a href="#invalid_event_cursor"><code>invalid_event_cursor</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="markQueryRunning"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>query-jobs/<wbr>{jobId}/<wbr>running</code> <span>queries:run</span></h3>
<p><strong>Tell that the provider is at work.</strong></p>
<p>From <code>starting</code>; sets <code>startedAt</code>.</p>
<p>Needs a key with the scope <code>queries:run</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>jobId</code></td><td>string; path</td><td>A query job's id, in any case.</td></tr>
<tr><td><code>job</code> <small>optional</small></td><td>full; query</td><td><code>full</code>: the answer has the job, too.</td></tr>
</table></div>
<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>leaseToken</code></td><td>string</td><td>Of the run, as its start answered it.</td></tr>
<tr><td><code>requestId</code> <small>optional</small></td><td>string</td><td>The caller's own, unique for each call: makes a repeat of it write nothing more.</td></tr>
<tr><td><code>position</code> <small>optional</small></td><td>string</td><td>Of this run's last answer; the same again with a repeat.</td></tr>
<tr><td><code>linkage</code></td><td>object</td><td>Which run of which provider it is: credentials and paths are taken out.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;leaseToken&quot;: &quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,
  &quot;requestId&quot;: &quot;call-7&quot;,
  &quot;position&quot;: &quot;3-3&quot;,
  &quot;linkage&quot;: {
    &quot;provider&quot;: &quot;claude&quot;
  }
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7/running&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;leaseToken&quot;:&quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,&quot;requestId&quot;:&quot;call-7&quot;,&quot;position&quot;:&quot;3-3&quot;,&quot;linkage&quot;:{&quot;provider&quot;:&quot;claude&quot;}}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;applied&quot;: true,
  &quot;eventSeq&quot;: 4,
  &quot;status&quot;: &quot;running&quot;,
  &quot;position&quot;: &quot;4-4&quot;
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#query_job_not_found"><code>query_job_not_found</code></a></li>
<li><b>409</b> <a href="#lease_lost"><code>lease_lost</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a>, <a href="#invalid_event_cursor"><code>invalid_event_cursor</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="linkQuery"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>query-jobs/<wbr>{jobId}/<wbr>linkage</code> <span>queries:run</span></h3>
<p><strong>Confirm that the provider is this run's.</strong></p>
<p>Before the provider gets the prompt: from then on an interrupted run holds its session, since the provider may still be at work. <code>applied: false</code>: do not send the prompt.</p>
<p>Needs a key with the scope <code>queries:run</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>jobId</code></td><td>string; path</td><td>A query job's id, in any case.</td></tr>
<tr><td><code>job</code> <small>optional</small></td><td>full; query</td><td><code>full</code>: the answer has the job, too.</td></tr>
</table></div>
<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>leaseToken</code></td><td>string</td><td>Of the run, as its start answered it.</td></tr>
<tr><td><code>requestId</code> <small>optional</small></td><td>string</td><td>The caller's own, unique for each call: makes a repeat of it write nothing more.</td></tr>
<tr><td><code>position</code> <small>optional</small></td><td>string</td><td>Of this run's last answer; the same again with a repeat.</td></tr>
<tr><td><code>linkage</code></td><td>object</td><td>Which run of which provider it is: credentials and paths are taken out.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;leaseToken&quot;: &quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,
  &quot;requestId&quot;: &quot;call-7&quot;,
  &quot;position&quot;: &quot;3-3&quot;,
  &quot;linkage&quot;: {
    &quot;provider&quot;: &quot;claude&quot;,
    &quot;claudeRunId&quot;: &quot;run-1&quot;
  }
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7/linkage&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;leaseToken&quot;:&quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,&quot;requestId&quot;:&quot;call-7&quot;,&quot;position&quot;:&quot;3-3&quot;,&quot;linkage&quot;:{&quot;provider&quot;:&quot;claude&quot;,&quot;claudeRunId&quot;:&quot;run-1&quot;}}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;applied&quot;: true,
  &quot;eventSeq&quot;: 4,
  &quot;status&quot;: &quot;running&quot;,
  &quot;position&quot;: &quot;4-4&quot;
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#query_job_not_found"><code>query_job_not_found</code></a></li>
<li><b>409</b> <a href="#lease_lost"><code>lease_lost</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a>, <a href="#invalid_event_cursor"><code>invalid_event_cursor</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="appendQueryChunk"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>query-jobs/<wbr>{jobId}/<wbr>chunks</code> <span>queries:run</span></h3>
<p><strong>More of the answer.</strong></p>
<p>The deltas add up to the answer, in the order in which they are written. What is over 128,000 characters together is cut, and flagged.</p>
<p>Needs a key with the scope <code>queries:run</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>jobId</code></td><td>string; path</td><td>A query job's id, in any case.</td></tr>
<tr><td><code>job</code> <small>optional</small></td><td>full; query</td><td><code>full</code>: the answer has the job, too.</td></tr>
</table></div>
<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>leaseToken</code></td><td>string</td><td>Of the run, as its start answered it.</td></tr>
<tr><td><code>requestId</code> <small>optional</small></td><td>string</td><td>The caller's own, unique for each call: makes a repeat of it write nothing more.</td></tr>
<tr><td><code>position</code> <small>optional</small></td><td>string</td><td>Of this run's last answer; the same again with a repeat.</td></tr>
<tr><td><code>delta</code></td><td>string</td><td>More of the answer. Half a surrogate pair at its end is joined with the next.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;leaseToken&quot;: &quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,
  &quot;requestId&quot;: &quot;call-7&quot;,
  &quot;position&quot;: &quot;3-3&quot;,
  &quot;delta&quot;: &quot;Whales are &quot;
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7/chunks&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;leaseToken&quot;:&quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,&quot;requestId&quot;:&quot;call-7&quot;,&quot;position&quot;:&quot;3-3&quot;,&quot;delta&quot;:&quot;Whales are &quot;}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;applied&quot;: true,
  &quot;eventSeq&quot;: 4,
  &quot;status&quot;: &quot;running&quot;,
  &quot;position&quot;: &quot;4-4&quot;
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#query_job_not_found"><code>query_job_not_found</code></a></li>
<li><b>409</b> <a href="#lease_lost"><code>lease_lost</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a>, <a href="#invalid_event_cursor"><code>invalid_event_cursor</code></a>, <a href="#delta_too_large"><code>delta_too_large</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="appendQueryActivity"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>query-jobs/<wbr>{jobId}/<wbr>activity</code> <span>queries:run</span></h3>
<p><strong>What the run is doing.</strong></p>
<p>The same again counts up what stands there.</p>
<p>Needs a key with the scope <code>queries:run</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>jobId</code></td><td>string; path</td><td>A query job's id, in any case.</td></tr>
<tr><td><code>job</code> <small>optional</small></td><td>full; query</td><td><code>full</code>: the answer has the job, too.</td></tr>
</table></div>
<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>leaseToken</code></td><td>string</td><td>Of the run, as its start answered it.</td></tr>
<tr><td><code>requestId</code> <small>optional</small></td><td>string</td><td>The caller's own, unique for each call: makes a repeat of it write nothing more.</td></tr>
<tr><td><code>position</code> <small>optional</small></td><td>string</td><td>Of this run's last answer; the same again with a repeat.</td></tr>
<tr><td><code>kind</code></td><td>status | input | output | gap</td><td><code>status</code> of the run; <code>input</code>, <code>output</code> and <code>gap</code> of its tools.</td></tr>
<tr><td><code>text</code></td><td>string</td><td>Shown without credentials and paths, cut to 2,000 characters.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;leaseToken&quot;: &quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,
  &quot;requestId&quot;: &quot;call-7&quot;,
  &quot;position&quot;: &quot;3-3&quot;,
  &quot;kind&quot;: &quot;status&quot;,
  &quot;text&quot;: &quot;Reading three sources&quot;
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7/activity&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;leaseToken&quot;:&quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,&quot;requestId&quot;:&quot;call-7&quot;,&quot;position&quot;:&quot;3-3&quot;,&quot;kind&quot;:&quot;status&quot;,&quot;text&quot;:&quot;Reading three sources&quot;}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;applied&quot;: true,
  &quot;eventSeq&quot;: 4,
  &quot;status&quot;: &quot;running&quot;,
  &quot;position&quot;: &quot;4-4&quot;
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#query_job_not_found"><code>query_job_not_found</code></a></li>
<li><b>409</b> <a href="#lease_lost"><code>lease_lost</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a>, <a href="#invalid_event_cursor"><code>invalid_event_cursor</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="commitQueryAnswer"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>query-jobs/<wbr>{jobId}/<wbr>answer-ready</code> <span>queries:run</span></h3>
<p><strong>Commit the answer.</strong></p>
<p>From then on the job can only complete, whoever dies.</p>
<p>Needs a key with the scope <code>queries:run</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>jobId</code></td><td>string; path</td><td>A query job's id, in any case.</td></tr>
<tr><td><code>job</code> <small>optional</small></td><td>full; query</td><td><code>full</code>: the answer has the job, too.</td></tr>
</table></div>
<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>leaseToken</code></td><td>string</td><td>Of the run, as its start answered it.</td></tr>
<tr><td><code>requestId</code> <small>optional</small></td><td>string</td><td>The caller's own, unique for each call: makes a repeat of it write nothing more.</td></tr>
<tr><td><code>position</code> <small>optional</small></td><td>string</td><td>Of this run's last answer; the same again with a repeat.</td></tr>
<tr><td><code>text</code></td><td>string</td><td>The whole answer; what is over 128,000 characters is cut, and flagged.</td></tr>
<tr><td><code>linkage</code> <small>optional</small></td><td>object</td><td>Which run of which provider it is: credentials and paths are taken out.</td></tr>
</table></div>
<p>For example (at most 2,097,152 bytes):</p><pre>{
  &quot;leaseToken&quot;: &quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,
  &quot;requestId&quot;: &quot;call-7&quot;,
  &quot;position&quot;: &quot;3-3&quot;,
  &quot;text&quot;: &quot;Whales are mammals.&quot;
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7/answer-ready&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;leaseToken&quot;:&quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,&quot;requestId&quot;:&quot;call-7&quot;,&quot;position&quot;:&quot;3-3&quot;,&quot;text&quot;:&quot;Whales are mammals.&quot;}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;applied&quot;: true,
  &quot;eventSeq&quot;: 4,
  &quot;status&quot;: &quot;answer_ready&quot;,
  &quot;position&quot;: &quot;4-4&quot;
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#query_job_not_found"><code>query_job_not_found</code></a></li>
<li><b>409</b> <a href="#lease_lost"><code>lease_lost</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a>, <a href="#invalid_event_cursor"><code>invalid_event_cursor</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="completeQuery"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>query-jobs/<wbr>{jobId}/<wbr>complete</code> <span>queries:run</span></h3>
<p><strong>End the run with its answer.</strong></p>
<p>Commits the answer, where that was not done before.</p>
<p>Needs a key with the scope <code>queries:run</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>jobId</code></td><td>string; path</td><td>A query job's id, in any case.</td></tr>
<tr><td><code>job</code> <small>optional</small></td><td>full; query</td><td><code>full</code>: the answer has the job, too.</td></tr>
</table></div>
<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>leaseToken</code></td><td>string</td><td>Of the run, as its start answered it.</td></tr>
<tr><td><code>requestId</code> <small>optional</small></td><td>string</td><td>The caller's own, unique for each call: makes a repeat of it write nothing more.</td></tr>
<tr><td><code>position</code> <small>optional</small></td><td>string</td><td>Of this run's last answer; the same again with a repeat.</td></tr>
<tr><td><code>text</code></td><td>string</td><td>The whole answer; what is over 128,000 characters is cut, and flagged.</td></tr>
<tr><td><code>attachments</code> <small>optional</small></td><td>array of object</td><td>Pictures of the answer, behind those of the request; five together.</td></tr>
<tr><td><code>outputImageStats</code> <small>optional</small></td><td>object</td><td>Left out where the numbers do not fit each other.</td></tr>
<tr><td><code>linkage</code> <small>optional</small></td><td>object</td><td>Which run of which provider it is: credentials and paths are taken out.</td></tr>
</table></div>
<p>For example (at most 2,097,152 bytes):</p><pre>{
  &quot;leaseToken&quot;: &quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,
  &quot;requestId&quot;: &quot;call-7&quot;,
  &quot;position&quot;: &quot;3-3&quot;,
  &quot;text&quot;: &quot;Whales are mammals.&quot;
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7/complete&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;leaseToken&quot;:&quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,&quot;requestId&quot;:&quot;call-7&quot;,&quot;position&quot;:&quot;3-3&quot;,&quot;text&quot;:&quot;Whales are mammals.&quot;}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;applied&quot;: true,
  &quot;eventSeq&quot;: 5,
  &quot;status&quot;: &quot;completed&quot;,
  &quot;position&quot;: &quot;5-5&quot;
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#query_job_not_found"><code>query_job_not_found</code></a></li>
<li><b>409</b> <a href="#lease_lost"><code>lease_lost</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a>, <a href="#invalid_event_cursor"><code>invalid_event_cursor</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="failQuery"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>query-jobs/<wbr>{jobId}/<wbr>fail</code> <span>queries:run</span></h3>
<p><strong>End the run without an answer.</strong></p>
<p>Of a job whose answer is committed it completes that.</p>
<p>Needs a key with the scope <code>queries:run</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>jobId</code></td><td>string; path</td><td>A query job's id, in any case.</td></tr>
<tr><td><code>job</code> <small>optional</small></td><td>full; query</td><td><code>full</code>: the answer has the job, too.</td></tr>
</table></div>
<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>leaseToken</code></td><td>string</td><td>Of the run, as its start answered it.</td></tr>
<tr><td><code>requestId</code> <small>optional</small></td><td>string</td><td>The caller's own, unique for each call: makes a repeat of it write nothing more.</td></tr>
<tr><td><code>position</code> <small>optional</small></td><td>string</td><td>Of this run's last answer; the same again with a repeat.</td></tr>
<tr><td><code>error</code></td><td>object</td><td>What went wrong.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;leaseToken&quot;: &quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,
  &quot;requestId&quot;: &quot;call-7&quot;,
  &quot;position&quot;: &quot;3-3&quot;,
  &quot;error&quot;: {
    &quot;code&quot;: &quot;provider_timeout&quot;,
    &quot;message&quot;: &quot;no answer in time&quot;
  }
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7/fail&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;leaseToken&quot;:&quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,&quot;requestId&quot;:&quot;call-7&quot;,&quot;position&quot;:&quot;3-3&quot;,&quot;error&quot;:{&quot;code&quot;:&quot;provider_timeout&quot;,&quot;message&quot;:&quot;no answer in time&quot;}}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;applied&quot;: true,
  &quot;eventSeq&quot;: 5,
  &quot;status&quot;: &quot;failed&quot;,
  &quot;position&quot;: &quot;5-5&quot;
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#query_job_not_found"><code>query_job_not_found</code></a></li>
<li><b>409</b> <a href="#lease_lost"><code>lease_lost</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a>, <a href="#invalid_event_cursor"><code>invalid_event_cursor</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="interruptQuery"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>query-jobs/<wbr>{jobId}/<wbr>interrupt</code> <span>queries:run</span></h3>
<p><strong>Give the run up, for another generation to do better.</strong></p>
<p>Holds the session for 21 minutes where the provider was confirmed to be this run's. Of a job whose answer is committed it completes that.</p>
<p>Needs a key with the scope <code>queries:run</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>jobId</code></td><td>string; path</td><td>A query job's id, in any case.</td></tr>
<tr><td><code>job</code> <small>optional</small></td><td>full; query</td><td><code>full</code>: the answer has the job, too.</td></tr>
</table></div>
<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>leaseToken</code></td><td>string</td><td>Of the run, as its start answered it.</td></tr>
<tr><td><code>requestId</code> <small>optional</small></td><td>string</td><td>The caller's own, unique for each call: makes a repeat of it write nothing more.</td></tr>
<tr><td><code>position</code> <small>optional</small></td><td>string</td><td>Of this run's last answer; the same again with a repeat.</td></tr>
<tr><td><code>reason</code> <small>optional</small></td><td>string</td><td>Why, for whoever reads the job: without credentials and paths.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;leaseToken&quot;: &quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,
  &quot;requestId&quot;: &quot;call-7&quot;,
  &quot;position&quot;: &quot;3-3&quot;,
  &quot;reason&quot;: &quot;the machine is shut down&quot;
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7/interrupt&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;leaseToken&quot;:&quot;0b6bd0c1-58a9-4b0e-a6b1-3f9f4b0f7c55&quot;,&quot;requestId&quot;:&quot;call-7&quot;,&quot;position&quot;:&quot;3-3&quot;,&quot;reason&quot;:&quot;the machine is shut down&quot;}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;applied&quot;: true,
  &quot;eventSeq&quot;: 5,
  &quot;status&quot;: &quot;interrupted&quot;,
  &quot;position&quot;: &quot;5-5&quot;
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#query_job_not_found"><code>query_job_not_found</code></a></li>
<li><b>409</b> <a href="#lease_lost"><code>lease_lost</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a>, <a href="#invalid_event_cursor"><code>invalid_event_cursor</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="readQueryEvents"><h3><code class="get">GET</code> 
<code>/<wbr>v1/<wbr>query-jobs/<wbr>{jobId}/<wbr>events</code> <span>queries:read</span></h3>
<p><strong>A job's events, by the page or as they happen.</strong></p>
<p>A page, or with <code>Accept: text/event-stream</code> the stream: every event behind <code>after</code>, each once and in order, until the terminal one. Leaving a stream changes nothing of the job. The whole log is kept as long as the job is.</p>
<p>Needs a key with the scope <code>queries:read</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>jobId</code></td><td>string; path</td><td>A query job's id, in any case.</td></tr>
<tr><td><code>generation</code></td><td>integer; query</td><td>Of the job that is meant.</td></tr>
<tr><td><code>after</code> <small>optional</small></td><td>integer; query</td><td>The <code>eventSeq</code> of the last event that the reader has; 0, the default: none.</td></tr>
<tr><td><code>limit</code> <small>optional</small></td><td>integer; query</td><td>Events of a page at most, 1 to 256; default 256. A stream has no pages.</td></tr>
</table></div>

<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7/events?generation=1&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot;</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;events&quot;: [
    {
      &quot;jobId&quot;: &quot;7c9e6679-7425-40de-944b-e07fc1f90ae7&quot;,
      &quot;clientJobId&quot;: &quot;3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f&quot;,
      &quot;generation&quot;: 1,
      &quot;status&quot;: &quot;running&quot;,
      &quot;type&quot;: &quot;chunk&quot;,
      &quot;eventSeq&quot;: 4,
      &quot;at&quot;: &quot;2026-01-31T09:00:04.000Z&quot;,
      &quot;data&quot;: {
        &quot;text&quot;: &quot;Whales are mammals.&quot;
      }
    },
    {
      &quot;jobId&quot;: &quot;7c9e6679-7425-40de-944b-e07fc1f90ae7&quot;,
      &quot;clientJobId&quot;: &quot;3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f&quot;,
      &quot;generation&quot;: 1,
      &quot;status&quot;: &quot;completed&quot;,
      &quot;type&quot;: &quot;completed&quot;,
      &quot;eventSeq&quot;: 5,
      &quot;at&quot;: &quot;2026-01-31T09:00:05.000Z&quot;,
      &quot;data&quot;: {
        &quot;response&quot;: &quot;Whales are mammals.&quot;
      }
    }
  ],
  &quot;gap&quot;: null,
  &quot;oldestEventSeq&quot;: 1,
  &quot;latestEventSeq&quot;: 5,
  &quot;job&quot;: {
    &quot;schemaVersion&quot;: 1,
    &quot;jobId&quot;: &quot;7c9e6679-7425-40de-944b-e07fc1f90ae7&quot;,
    &quot;clientJobId&quot;: &quot;3f1f6c1e-5d0a-4a55-9b0e-6a1d2c3b4a5f&quot;,
    &quot;generation&quot;: 1,
    &quot;turnId&quot;: &quot;0f8fad5b-d9cb-469f-a165-70867728950e&quot;,
    &quot;requestFingerprint&quot;: &quot;0ebf2819d992c23c3de543ed4556ada879fa4976edaadaf49a33beae7aa1de9f&quot;,
    &quot;status&quot;: &quot;completed&quot;,
    &quot;eventSeq&quot;: 5,
    &quot;oldestEventSeq&quot;: 1,
    &quot;sessionId&quot;: &quot;chat-42&quot;,
    &quot;attachments&quot;: [],
    &quot;partialText&quot;: &quot;Whales are mammals.&quot;,
    &quot;partialTruncated&quot;: false,
    &quot;activity&quot;: [],
    &quot;acceptedAt&quot;: &quot;2026-01-31T09:00:00.000Z&quot;,
    &quot;updatedAt&quot;: &quot;2026-01-31T09:00:05.000Z&quot;,
    &quot;retentionUntil&quot;: &quot;2026-02-07T09:00:00.000Z&quot;,
    &quot;response&quot;: &quot;Whales are mammals.&quot;,
    &quot;responseTruncated&quot;: false,
    &quot;startedAt&quot;: &quot;2026-01-31T09:00:02.000Z&quot;,
    &quot;completedAt&quot;: &quot;2026-01-31T09:00:05.000Z&quot;,
    &quot;provider&quot;: &quot;claude&quot;
  },
  &quot;hasMore&quot;: false
}</pre></details></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#query_job_not_found"><code>query_job_not_found</code></a></li>
<li><b>409</b> <a href="#query_job_generation_mismatch"><code>query_job_generation_mismatch</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a>, <a href="#invalid_generation"><code>invalid_generation</code></a>, <a href="#invalid_event_cursor"><code>invalid_event_cursor</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="issueQueryTicket"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>query-jobs/<wbr>{jobId}/<wbr>tickets</code> <span>queries:read</span></h3>
<p><strong>A ticket to one job, for a browser or a phone.</strong></p>
<p>Whoever has it may read that job and its events, cancel it and acknowledge it, until it is over; nothing else. It is sent as a key is, or as <code>?ticket=</code> by an <code>EventSource</code>, and never logged here. It cannot be taken back one by one: another HOLDFAST_SECRET ends all of them.</p>
<p>Needs a key with the scope <code>queries:read</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>jobId</code></td><td>string; path</td><td>A query job's id, in any case.</td></tr>
</table></div>
<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>generation</code></td><td>integer</td><td>Of the job that is meant.</td></tr>
<tr><td><code>ttlMs</code> <small>optional</small></td><td>integer</td><td>How long the ticket is good, 60,000 to 86,400,000; default 3,600,000.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;generation&quot;: 1,
  &quot;ttlMs&quot;: 3600000
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/query-jobs/7c9e6679-7425-40de-944b-e07fc1f90ae7/tickets&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;generation&quot;:1,&quot;ttlMs&quot;:3600000}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;ticket&quot;: &quot;hft1..7c9e6679-7425-40de-944b-e07fc1f90ae7.1.1769853600000.9rT2-kYw3l0vZp6XbQ8nLc5sJdG7hF1aMeU4oI_tRzE&quot;,
  &quot;expiresAt&quot;: &quot;2026-01-31T10:00:00.000Z&quot;
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#not_found"><code>not_found</code></a>, <a href="#query_job_not_found"><code>query_job_not_found</code></a></li>
<li><b>409</b> <a href="#query_job_generation_mismatch"><code>query_job_generation_mismatch</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a>, <a href="#invalid_generation"><code>invalid_generation</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="collect"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>query-collections</code> <span>ops</span></h3>
<p><strong>Remove logs that belong to no query job: one page of a walk over all.</strong></p>
<p>They are left by admissions and retirements that were cut off, and cost storage and nothing else. The walk goes on where the page before ended, whoever asked for that, and runs beside any traffic.</p>
<p>Needs a key with the scope <code>ops</code>.</p>

<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>limit</code> <small>optional</small></td><td>integer</td><td>Logs at most, 1 to 1,000; default 100.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes. May be left out):</p><pre>{}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/query-collections&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;examined&quot;: 100,
  &quot;removed&quot;: 2,
  &quot;corrupt&quot;: 0,
  &quot;isComplete&quot;: false
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
</section>
<section><h2 id="operations">Operations</h2>
<p>What waits, what is stuck, what must be forgotten.</p>
<article id="health"><h3><code class="get">GET</code> 
<code>/<wbr>v1/<wbr>health</code> <span>any key</span></h3>
<p><strong>How much waits, from the due index alone.</strong></p>
<p>Of the caller's tenant. It costs the same whatever is stored; an index may lag, so some of what it tells may have been dealt with.</p>
<p>Any key may ask.</p>


<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/health&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot;</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;emails&quot;: {
    &quot;deliver&quot;: {
      &quot;due&quot;: 3,
      &quot;more&quot;: false,
      &quot;oldestDueAt&quot;: &quot;2026-01-31T08:59:00.000Z&quot;
    },
    &quot;attend&quot;: {
      &quot;due&quot;: 0,
      &quot;more&quot;: false,
      &quot;oldestDueAt&quot;: null
    },
    &quot;stuck&quot;: {
      &quot;due&quot;: 0,
      &quot;more&quot;: false,
      &quot;oldestDueAt&quot;: null
    },
    &quot;counters&quot;: {
      &quot;corruptRecords&quot;: 0,
      &quot;contended&quot;: 0,
      &quot;unknownOutcomes&quot;: 0,
      &quot;leasesLost&quot;: 1,
      &quot;mailerUnavailable&quot;: 0
    }
  },
  &quot;receipts&quot;: {
    &quot;attend&quot;: {
      &quot;due&quot;: 0,
      &quot;more&quot;: false,
      &quot;oldestDueAt&quot;: null
    },
    &quot;stuck&quot;: {
      &quot;due&quot;: 0,
      &quot;more&quot;: false,
      &quot;oldestDueAt&quot;: null
    },
    &quot;counters&quot;: {
      &quot;replays&quot;: 4,
      &quot;conflicts&quot;: 0,
      &quot;outcomesUnknown&quot;: 0,
      &quot;contradictions&quot;: 0,
      &quot;dispatchesLost&quot;: 0
    }
  },
  &quot;queries&quot;: {
    &quot;attend&quot;: {
      &quot;due&quot;: 0,
      &quot;more&quot;: false,
      &quot;oldestDueAt&quot;: null
    },
    &quot;stuck&quot;: {
      &quot;due&quot;: 0,
      &quot;more&quot;: false,
      &quot;oldestDueAt&quot;: null
    },
    &quot;counters&quot;: {
      &quot;admitted&quot;: 3,
      &quot;duplicates&quot;: 1,
      &quot;refused&quot;: 0,
      &quot;completed&quot;: 2,
      &quot;failed&quot;: 0,
      &quot;interrupted&quot;: 0,
      &quot;leasesLost&quot;: 0
    }
  }
}</pre></details></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="stuck"><h3><code class="get">GET</code> 
<code>/<wbr>v1/<wbr>stuck</code> <span>ops</span></h3>
<p><strong>What waits for a person, why, and what to do.</strong></p>
<p>Failed jobs, unknown outcomes, contradictions, and claims and jobs that have waited too long. Nothing of their content is told.</p>
<p>Needs a key with the scope <code>ops</code>.</p>
<div class="wide"><table><tr><th>Parameter</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>limit</code> <small>optional</small></td><td>integer; query</td><td>Items at most, 1 to 100; default 50.</td></tr>
<tr><td><code>cursor</code> <small>optional</small></td><td>string; query</td><td>The <code>nextCursor</code> of the page before; none for the first.</td></tr>
</table></div>

<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/stuck&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot;</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;items&quot;: [
    {
      &quot;machine&quot;: &quot;emails&quot;,
      &quot;id&quot;: &quot;sha256:ef2742cceac60b0294823cb949b5068eeff3c2262740e8f286ef8d07ac8d301c&quot;,
      &quot;state&quot;: &quot;failed&quot;,
      &quot;since&quot;: &quot;2026-01-31T09:05:00.000Z&quot;,
      &quot;why&quot;: &quot;failed after 3 attempts, all that it has&quot;,
      &quot;action&quot;: &quot;read its lastError, mend the cause, then requeue it; or erase it&quot;
    }
  ],
  &quot;nextCursor&quot;: null
}</pre></details></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a>, <a href="#invalid_cursor"><code>invalid_cursor</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="reconcile"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>reconciliations</code> <span>ops</span></h3>
<p><strong>One pass over the key's tenant: find, recover, promote, deliver, retire.</strong></p>
<p>Bounded in time, and answered five seconds after its budget at the latest; may run beside any other pass, though a tenant may ask for one at a time. A dry run tells what one page of everything would come to, and does nothing.</p>
<p>Needs a key with the scope <code>ops</code>.</p>

<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>dryRun</code> <small>optional</small></td><td>boolean</td><td>Tell what would happen, and do nothing.</td></tr>
<tr><td><code>budgetMs</code> <small>optional</small></td><td>integer</td><td>How long the pass may take; the service's own budget (25,000) without it.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes. May be left out):</p><pre>{
  &quot;dryRun&quot;: true
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/reconciliations&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;dryRun&quot;:true}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;receipts&quot;: {
    &quot;recovered&quot;: 1,
    &quot;retired&quot;: 0
  },
  &quot;queries&quot;: {
    &quot;completed&quot;: 0,
    &quot;interrupted&quot;: 1,
    &quot;retired&quot;: 0
  },
  &quot;emails&quot;: {
    &quot;discovered&quot;: 2,
    &quot;enqueued&quot;: 1,
    &quot;promoted&quot;: 1,
    &quot;sent&quot;: 3,
    &quot;retried&quot;: 1,
    &quot;failed&quot;: 0,
    &quot;cancelled&quot;: 0,
    &quot;retired&quot;: 0,
    &quot;stale&quot;: 0,
    &quot;skipped&quot;: 0
  },
  &quot;failures&quot;: [
    {
      &quot;machine&quot;: &quot;emails&quot;,
      &quot;tenant&quot;: null,
      &quot;id&quot;: &quot;source:reminder&quot;,
      &quot;code&quot;: &quot;source_failed&quot;,
      &quot;count&quot;: 1,
      &quot;why&quot;: &quot;the source threw&quot;,
      &quot;action&quot;: &quot;read what it threw in the log; it is asked for the same page by the next pass&quot;
    }
  ],
  &quot;failuresLeftOut&quot;: 0,
  &quot;hasMore&quot;: false
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
<article id="erase"><h3><code class="post">POST</code> 
<code>/<wbr>v1/<wbr>erasures</code> <span>ops</span></h3>
<p><strong>Replace a record's personal content by a tombstone.</strong></p>
<p>Of an email, of a receipt, or of all generations of a query. The record keeps its id, state and times; a receipt also its payload's hash and what came of the operation. Afterwards everything under its key answers 410, <code>erased</code> or of a receipt <code>operation_expired</code>, and it never runs again. Erasing it again changes nothing and is answered as before. Refused while it is in use: an email that is being sent, a receipt that is dispatching, a query that has not ended.</p>
<p>Needs a key with the scope <code>ops</code>.</p>

<div class="wide"><table><tr><th>Body</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>email</code> <small>optional</small></td><td>string</td><td>A logical key, or <code>sha256:</code> and an id.</td></tr>
<tr><td><code>receipt</code> <small>optional</small></td><td>string</td><td>A receipt's id.</td></tr>
<tr><td><code>query</code> <small>optional</small></td><td>string</td><td>A client job id. One of the three.</td></tr>
</table></div>
<p>For example (at most 1,048,576 bytes):</p><pre>{
  &quot;email&quot;: &quot;welcome:ann@example.com&quot;
}</pre>
<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/v1/erasures&quot; \\
  -H &quot;Authorization: Bearer $HOLDFAST_KEY&quot; \\
  -H 'Content-Type: application/json' \\
  -d '{&quot;email&quot;:&quot;welcome:ann@example.com&quot;}'</pre>
<p>Answers:</p><ul class="answers">
<li><details><summary><b>200</b> Done, or found.</summary><pre>{
  &quot;machine&quot;: &quot;emails&quot;,
  &quot;id&quot;: &quot;sha256:ef2742cceac60b0294823cb949b5068eeff3c2262740e8f286ef8d07ac8d301c&quot;,
  &quot;state&quot;: &quot;sent&quot;,
  &quot;updatedAt&quot;: &quot;2026-01-31T09:10:00.000Z&quot;
}</pre></details></li>
<li><b>400</b> <a href="#malformed_json"><code>malformed_json</code></a>, <a href="#bad_request"><code>bad_request</code></a></li>
<li><b>401</b> <a href="#unauthorized"><code>unauthorized</code></a></li>
<li><b>403</b> <a href="#forbidden"><code>forbidden</code></a></li>
<li><b>404</b> <a href="#job_not_found"><code>job_not_found</code></a>, <a href="#receipt_not_found"><code>receipt_not_found</code></a>, <a href="#query_job_not_found"><code>query_job_not_found</code></a></li>
<li><b>409</b> <a href="#in_use"><code>in_use</code></a></li>
<li><b>413</b> <a href="#body_too_large"><code>body_too_large</code></a></li>
<li><b>415</b> <a href="#unsupported_media_type"><code>unsupported_media_type</code></a></li>
<li><b>422</b> <a href="#invalid_request"><code>invalid_request</code></a></li>
<li><b>429</b> <a href="#throttled"><code>throttled</code></a></li>
<li><b>500</b> <a href="#internal_error"><code>internal_error</code></a>, <a href="#record_corrupt"><code>record_corrupt</code></a></li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a>, <a href="#outcome_unknown"><code>outcome_unknown</code></a>, <a href="#contended"><code>contended</code></a>, <a href="#misconfigured"><code>misconfigured</code></a></li>
</ul>
</article>
</section>
<section><h2 id="service">Service</h2>
<p>Open to everybody: no key is asked for.</p>
<article id="healthz"><h3><code class="get">GET</code> 
<code>/<wbr>healthz</code> <span>no key</span></h3>
<p><strong>Whether the process lives.</strong></p>



<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/healthz&quot;</pre>
<p>Answers:</p><ul class="answers">
<li><b>200</b> It does.</li>
</ul>
</article>
<article id="readyz"><h3><code class="get">GET</code> 
<code>/<wbr>readyz</code> <span>no key</span></h3>
<p><strong>Whether the storage answers.</strong></p>



<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/readyz&quot;</pre>
<p>Answers:</p><ul class="answers">
<li><b>200</b> It does.</li>
<li><b>503</b> <a href="#unavailable"><code>unavailable</code></a></li>
</ul>
</article>
<article id="openapi"><h3><code class="get">GET</code> 
<code>/<wbr>openapi.json</code> <span>no key</span></h3>
<p><strong>This document.</strong></p>



<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/openapi.json&quot;</pre>
<p>Answers:</p><ul class="answers">
<li><b>200</b> OpenAPI 3.1.</li>
</ul>
</article>
<article id="docs"><h3><code class="get">GET</code> 
<code>/<wbr>docs</code> <span>no key</span></h3>
<p><strong>The same for people.</strong></p>



<p>As a command:</p><pre>curl &quot;$HOLDFAST_URL/docs&quot;</pre>
<p>Answers:</p><ul class="answers">
<li><b>200</b> A page.</li>
</ul>
</article>
</section>
<section><h2 id="payloads">Payloads</h2>
<p><code>type</code>, <code>recipient</code>, and the fields of that kind. Unknown properties are refused; at most 32 levels and 20,000 values, no NUL character and no half surrogate pair.</p>
<article id="payload-first-view"><h3>first-view</h3>

<div class="wide"><table><tr><th>Field</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>type</code></td><td>first-view</td><td></td></tr>
<tr><td><code>recipient</code></td><td>string</td><td>An email address, without spaces around it.</td></tr>
<tr><td><code>recordingIds</code></td><td>array of string</td><td></td></tr>
<tr><td><code>shareId</code> <small>optional</small></td><td>string</td><td></td></tr>
<tr><td><code>requestedBy</code> <small>optional</small></td><td>string</td><td></td></tr>
</table></div>
</article>
<article id="payload-unviewed-reminder"><h3>unviewed-reminder</h3>

<div class="wide"><table><tr><th>Field</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>type</code></td><td>unviewed-reminder</td><td></td></tr>
<tr><td><code>recipient</code></td><td>string</td><td>An email address, without spaces around it.</td></tr>
<tr><td><code>recordingIds</code></td><td>array of string</td><td></td></tr>
<tr><td><code>shareId</code> <small>optional</small></td><td>string</td><td></td></tr>
<tr><td><code>requestedBy</code> <small>optional</small></td><td>string</td><td></td></tr>
</table></div>
</article>
<article id="payload-first-import"><h3>first-import</h3>

<div class="wide"><table><tr><th>Field</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>type</code></td><td>first-import</td><td></td></tr>
<tr><td><code>recipient</code></td><td>string</td><td>An email address, without spaces around it.</td></tr>
<tr><td><code>recordingIds</code></td><td>array of string</td><td></td></tr>
<tr><td><code>shareId</code> <small>optional</small></td><td>string</td><td></td></tr>
<tr><td><code>requestedBy</code> <small>optional</small></td><td>string</td><td></td></tr>
</table></div>
</article>
<article id="payload-two-clips"><h3>two-clips</h3>
<p>Its job waits for a text that an AI writes.</p>
<div class="wide"><table><tr><th>Field</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>type</code></td><td>two-clips</td><td></td></tr>
<tr><td><code>recipient</code></td><td>string</td><td>An email address, without spaces around it.</td></tr>
<tr><td><code>recordingIds</code></td><td>array of string</td><td></td></tr>
<tr><td><code>shareId</code> <small>optional</small></td><td>string</td><td></td></tr>
<tr><td><code>requestedBy</code> <small>optional</small></td><td>string</td><td></td></tr>
</table></div>
</article>
<article id="payload-message"><h3>message</h3>

<div class="wide"><table><tr><th>Field</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>type</code></td><td>message</td><td></td></tr>
<tr><td><code>recipient</code></td><td>string</td><td>An email address, without spaces around it.</td></tr>
<tr><td><code>subject</code></td><td>string</td><td></td></tr>
<tr><td><code>text</code></td><td>string</td><td></td></tr>
<tr><td><code>html</code> <small>optional</small></td><td>string</td><td></td></tr>
<tr><td><code>replyTo</code> <small>optional</small></td><td>string</td><td></td></tr>
<tr><td><code>headers</code> <small>optional</small></td><td>object</td><td></td></tr>
</table></div>
</article>
<article id="payload-a-kind-of-this-deployment's-own"><h3>a kind of this deployment's own</h3>

<div class="wide"><table><tr><th>Field</th><th>Type</th><th>Meaning</th></tr>
<tr><td><code>type</code></td><td>string</td><td></td></tr>
<tr><td><code>recipient</code></td><td>string</td><td>An email address, without spaces around it.</td></tr>
</table></div>
</article>
</section>
<section><h2 id="problems">Problems</h2><dl>
<dt id="malformed_json"><code>malformed_json</code> <span>400</span> The body is not JSON</dt>
<dd>The body is not UTF-8, not JSON, or names a property twice in one object. Nothing was done. <em>Send one JSON value in UTF-8.</em></dd>
<dt id="bad_request"><code>bad_request</code> <span>400</span> The request is not valid HTTP</dt>
<dd>The request ended early or is not valid HTTP. Nothing was done. <em>Send it again, whole.</em></dd>
<dt id="unauthorized"><code>unauthorized</code> <span>401</span> No valid key</dt>
<dd>There is no key in the request, or none that this service knows. Nothing was done. <em>Send Authorization: Bearer with a key of this service.</em></dd>
<dt id="forbidden"><code>forbidden</code> <span>403</span> Not allowed</dt>
<dd>The key lacks the scope that the operation needs; or, on a service without keys, the request came through another host name or from a page of another site. Nothing was done. <em>Use a key with the scope that the operation names.</em></dd>
<dt id="not_found"><code>not_found</code> <span>404</span> No such route</dt>
<dd>There is no such route. A key that is empty or a dot segment makes none either. <em>Check the path; address such a key by sha256: and its 64 digits.</em></dd>
<dt id="job_not_found"><code>job_not_found</code> <span>404</span> No such job</dt>
<dd>No job has that key, as far as this key's tenant is concerned. <em>Check the key and its URL-encoding. Keys are not trimmed in paths.</em></dd>
<dt id="receipt_not_found"><code>receipt_not_found</code> <span>404</span> No such receipt</dt>
<dd>No receipt has that id, as far as this key's tenant is concerned. <em>Check the id; prepare the operation first.</em></dd>
<dt id="config_not_found"><code>config_not_found</code> <span>404</span> No configuration yet</dt>
<dd>The email configuration was not made yet. <em>PUT /v1/email-config makes it.</em></dd>
<dt id="cursor_not_found"><code>cursor_not_found</code> <span>404</span> No such cursor</dt>
<dd>There is no cursor of that name that can be set. <em>Use one of the names that the operation lists.</em></dd>
<dt id="method_not_allowed"><code>method_not_allowed</code> <span>405</span> Method not allowed</dt>
<dd>The route has no such method. Nothing was done. <em>Use one of the methods in Allow.</em></dd>
<dt id="state_mismatch"><code>state_mismatch</code> <span>409</span> The job is in another state</dt>
<dd>The job is in none of the states that were named, or is leased and moves by its token only. <code>state</code> and <code>updatedAt</code> tell how it was found. Nothing was written. <em>If <code>state</code> is where it was to go, an earlier try has succeeded. Else read the job.</em></dd>
<dt id="invalid_transition"><code>invalid_transition</code> <span>409</span> There is no such move</dt>
<dd>The job is in a named state, but there is no move from it to that one. <em>Take a move that there is; <code>sending</code> is reached by a lease only.</em></dd>
<dt id="not_claimable"><code>not_claimable</code> <span>409</span> The job cannot be claimed now</dt>
<dd>The job does not wait for a text, or its claim is not older than <code>staleBefore</code>. <em>Read <code>state</code>; claim another job, or reclaim this one later.</em></dd>
<dt id="claim_lost"><code>claim_lost</code> <span>409</span> The claim is not the current one</dt>
<dd>The job is not claimed by this claimant with this token (any more). <em>Stop working on it. If <code>state</code> is <code>ready</code>, an earlier try has succeeded.</em></dd>
<dt id="not_leasable"><code>not_leasable</code> <span>409</span> The job cannot be leased now</dt>
<dd>The job is not ready, or another's lease on it stands. <em>Try after that lease, or lease what is due.</em></dd>
<dt id="lease_lost"><code>lease_lost</code> <span>409</span> The lease is not the current one</dt>
<dd>Another lease or another settlement came after this token. Nothing was written. <em>Stop working on the job; do not repeat the request.</em></dd>
<dt id="invalid_receipt_state"><code>invalid_receipt_state</code> <span>409</span> The receipt is in another state</dt>
<dd>The receipt is in no state that this starts from. <code>state</code> and <code>updatedAt</code> tell how it was found. Nothing was written. <em>If <code>state</code> is where it was to go, an earlier try has succeeded. Else read the receipt.</em></dd>
<dt id="dispatch_lost"><code>dispatch_lost</code> <span>409</span> The dispatch is not the caller's</dt>
<dd>The dispatch belongs to another caller, or to nobody any more. Nothing was written. <em>Before the side effect: do not run it, and wait for the outcome of whoever dispatched it. To report one that ran: send the <code>dispatchToken</code> that its dispatch answered.</em></dd>
<dt id="dispatch_live"><code>dispatch_live</code> <span>409</span> The dispatch may still be running</dt>
<dd>The dispatch has time left, its lease and the margin. Nothing was written. <em>Wait until it is over, recover it, then resolve it.</em></dd>
<dt id="already_resolved"><code>already_resolved</code> <span>409</span> A person's answer stands</dt>
<dd>A person said what came of the operation, and the first answer stands for ever: <code>outcome</code>. A late report of the caller was kept as a note. <em>Go by <code>outcome</code>; to run the operation after all, take a new operation id.</em></dd>
<dt id="in_use"><code>in_use</code> <span>409</span> The record is in use</dt>
<dd>The record is being worked on. Nothing was written. <em>Wait until it is settled or its lease is over, then repeat the request.</em></dd>
<dt id="job_expired"><code>job_expired</code> <span>410</span> The job is past its retention</dt>
<dd>The job is past its retention. Its key is never used again. <em>Take another key for another email.</em></dd>
<dt id="operation_expired"><code>operation_expired</code> <span>410</span> The operation is over and forgotten</dt>
<dd>The operation is past its retention, or was erased, as <code>erased</code> tells. <code>outcome</code> is what was kept. It never runs again. <em>Take another operation id for other work.</em></dd>
<dt id="erased"><code>erased</code> <span>410</span> The record was erased</dt>
<dd>The record's content was erased. It never runs again. <em>Take another identity for other work.</em></dd>
<dt id="body_too_large"><code>body_too_large</code> <span>413</span> The body is too large</dt>
<dd>The body has more bytes than the operation takes. Nothing was done. <em>Send less, or several batches.</em></dd>
<dt id="unsupported_media_type"><code>unsupported_media_type</code> <span>415</span> The body is not application/json</dt>
<dd>The body is not declared as JSON in UTF-8. Nothing was done. <em>Send Content-Type: application/json.</em></dd>
<dt id="invalid_request"><code>invalid_request</code> <span>422</span> The request is not valid</dt>
<dd>The path, the query or the body is not what the operation takes. <code>errors</code> names the places. Nothing was done. <em>Mend what <code>errors</code> names; unknown properties and parameters are refused too.</em></dd>
<dt id="invalid_cursor"><code>invalid_cursor</code> <span>422</span> The cursor is not valid</dt>
<dd>The cursor is not one that this listing gave to this tenant. <em>Start without a cursor.</em></dd>
<dt id="record_too_large"><code>record_too_large</code> <span>422</span> The record would be too large</dt>
<dd>The record would be larger than a storage takes. Nothing was written. <em>Shorten what was sent; keep large content elsewhere and send its address.</em></dd>
<dt id="job_payload_conflict"><code>job_payload_conflict</code> <span>422</span> The key belongs to another payload</dt>
<dd>The key belongs to a job with another payload, and <code>conflict</code> was asked for. <em>Take another key for another email; one key is one email.</em></dd>
<dt id="operation_receipt_conflict"><code>operation_receipt_conflict</code> <span>422</span> The operation is bound to other content</dt>
<dd>The operation id belongs to another payload, or the receipt has another result. Nothing was written. <em>Take another operation id for other content; one id is one payload and one result.</em></dd>
<dt id="operation_receipt_capacity"><code>operation_receipt_capacity</code> <span>429</span> The workspace has no room for another receipt</dt>
<dd>The workspace has as many receipts as it may have. Nothing was written. <em>Repeat it when receipts were retired, erase some, or allow the workspace more.</em></dd>
<dt id="query_job_not_found"><code>query_job_not_found</code> <span>404</span> No such query job</dt>
<dd>No query job has that id, as far as this key's tenant is concerned; or it is past its retention. <em>Check the id. After a lost answer look the job up by its client job id and generation.</em></dd>
<dt id="query_job_generation_mismatch"><code>query_job_generation_mismatch</code> <span>409</span> The query job is of another generation</dt>
<dd>The job is of another generation of its client job. Nothing was written. <em>Send the <code>generation</code> that stands in the job.</em></dd>
<dt id="query_job_answer_committing"><code>query_job_answer_committing</code> <span>409</span> The answer is committed</dt>
<dd>The answer is committed, and the job can only complete. Nothing was written. <em>Wait for its end, or read it: <code>partialText</code> is the answer.</em></dd>
<dt id="query_job_not_terminal"><code>query_job_not_terminal</code> <span>409</span> The query job has not ended</dt>
<dd>The job has not ended; <code>jobStatus</code> tells where it is. Nothing was written. <em>Acknowledge it when it is completed, failed, canceled or interrupted.</em></dd>
<dt id="provider_orphan_fence"><code>provider_orphan_fence</code> <span>409</span> The session is held</dt>
<dd>A run of this session was interrupted, and its provider may still be at work: until then nobody else may use the session. Nothing was written. <em>Repeat the same request after <code>retryAfterMs</code>, or use another session.</em></dd>
<dt id="job_identity_conflict"><code>job_identity_conflict</code> <span>409</span> The id belongs to another request</dt>
<dd>The client job id and generation are bound to another request. Nothing was written. <em>Take a new client job id for another request; one identity is one request.</em></dd>
<dt id="job_generation_active"><code>job_generation_active</code> <span>409</span> An earlier generation has not ended</dt>
<dd>An earlier generation of the client job has not ended. Nothing was written. <em>Wait for its end, or cancel it; then submit the next generation.</em></dd>
<dt id="job_generation_out_of_order"><code>job_generation_out_of_order</code> <span>409</span> The generation is not a later one</dt>
<dd>The client job has had this generation or a later one. Nothing was written. <em>Take a higher generation; numbers may be skipped.</em></dd>
<dt id="invalid_client_job_id"><code>invalid_client_job_id</code> <span>422</span> The client job id is not valid</dt>
<dd>The client job id is no UUID of version 4. Nothing was written. <em>Make one with <code>crypto.randomUUID()</code>, and keep it for repeats of the same request.</em></dd>
<dt id="invalid_generation"><code>invalid_generation</code> <span>422</span> The generation is not valid</dt>
<dd>The generation is missing, or no whole number from 1. Nothing was written. <em>Send the generation of the job that is meant; the first is 1.</em></dd>
<dt id="invalid_query"><code>invalid_query</code> <span>422</span> The query is not valid</dt>
<dd>The query is no text, or has half a surrogate pair in it. Nothing was written. <em>Send a text.</em></dd>
<dt id="query_too_large"><code>query_too_large</code> <span>422</span> The query is too long</dt>
<dd>The text has more characters (UTF-16 units) than it may have, as <code>errors</code> tells. Nothing was written. <em>Shorten it; it is measured before control characters are taken out.</em></dd>
<dt id="query_or_attachment_required"><code>query_or_attachment_required</code> <span>422</span> Nothing is asked</dt>
<dd>The query is blank, and there is no valid attachment. Nothing was written. <em>Ask something, or attach something.</em></dd>
<dt id="invalid_session_id"><code>invalid_session_id</code> <span>422</span> The session id is not valid</dt>
<dd>The session id is missing, or not of its form. Nothing was written. <em>Send 1 to 128 letters, digits and ._:@/-, the first a letter or digit.</em></dd>
<dt id="invalid_model"><code>invalid_model</code> <span>422</span> The model is not valid</dt>
<dd>The field is no text, is blank, or is too long. Nothing was written. <em>Shorten it, or leave it out: null and the empty text count as left out.</em></dd>
<dt id="invalid_effort"><code>invalid_effort</code> <span>422</span> The effort is not valid</dt>
<dd>The field is no text, is blank, or is too long. Nothing was written. <em>Shorten it, or leave it out: null and the empty text count as left out.</em></dd>
<dt id="invalid_message_era"><code>invalid_message_era</code> <span>422</span> The message era is not valid</dt>
<dd>The field is no text, is blank, or is too long. Nothing was written. <em>Shorten it, or leave it out: null and the empty text count as left out.</em></dd>
<dt id="invalid_handoff_code"><code>invalid_handoff_code</code> <span>422</span> The handoff code is not valid</dt>
<dd>The field is no text, is blank, or is too long. Nothing was written. <em>Shorten it, or leave it out: null and the empty text count as left out.</em></dd>
<dt id="invalid_client_queue_item_id"><code>invalid_client_queue_item_id</code> <span>422</span> The queue item id is not valid</dt>
<dd>The field is no text, is blank, or is too long. Nothing was written. <em>Shorten it, or leave it out: null and the empty text count as left out.</em></dd>
<dt id="invalid_global_msg_num"><code>invalid_global_msg_num</code> <span>422</span> The message number is not valid</dt>
<dd>The message number is no whole number from 1. Nothing was written. <em>Send one, or leave it out.</em></dd>
<dt id="invalid_reference"><code>invalid_reference</code> <span>422</span> The reference is not valid</dt>
<dd>The reference is no object of an earlier query and its response, both not blank. Nothing was written. <em>Send both, or leave the reference out.</em></dd>
<dt id="invalid_reference_query"><code>invalid_reference_query</code> <span>422</span> The reference's query is not valid</dt>
<dd>The reference is no object of an earlier query and its response, both not blank. Nothing was written. <em>Send both, or leave the reference out.</em></dd>
<dt id="reference_query_too_large"><code>reference_query_too_large</code> <span>422</span> The reference's query is too long</dt>
<dd>The text has more characters (UTF-16 units) than it may have, as <code>errors</code> tells. Nothing was written. <em>Shorten it; it is measured before control characters are taken out.</em></dd>
<dt id="invalid_reference_response"><code>invalid_reference_response</code> <span>422</span> The reference's response is not valid</dt>
<dd>The reference is no object of an earlier query and its response, both not blank. Nothing was written. <em>Send both, or leave the reference out.</em></dd>
<dt id="reference_response_too_large"><code>reference_response_too_large</code> <span>422</span> The reference's response is too long</dt>
<dd>The text has more characters (UTF-16 units) than it may have, as <code>errors</code> tells. Nothing was written. <em>Shorten it; it is measured before control characters are taken out.</em></dd>
<dt id="invalid_event_cursor"><code>invalid_event_cursor</code> <span>422</span> The place in the events is not valid</dt>
<dd>The position, or the number of an event, is not one that the service gave. Nothing was written. <em>Send the <code>position</code> of this run's last answer, or the number of an event or 0.</em></dd>
<dt id="delta_too_large"><code>delta_too_large</code> <span>422</span> The delta is too long</dt>
<dd>The delta has more than 16,000 characters (UTF-16 units). Nothing was written. <em>Send it as several chunks, one after the other.</em></dd>
<dt id="job_history_full"><code>job_history_full</code> <span>429</span> Too many earlier generations</dt>
<dd>64 earlier generations of the client job are still kept. Nothing was written. <em>Take a new client job id, or wait until some are past their retention.</em></dd>
<dt id="throttled"><code>throttled</code> <span>429</span> Too much at once</dt>
<dd>The storage refused for load. Nothing was written. <em>Repeat the same request after the time in Retry-After.</em></dd>
<dt id="internal_error"><code>internal_error</code> <span>500</span> An unexpected fault</dt>
<dd>A fault that the service did not expect. What it was stands in its log. <em>Repeat the request, which does no harm; then report it with its X-Request-Id.</em></dd>
<dt id="record_corrupt"><code>record_corrupt</code> <span>500</span> The record cannot be read</dt>
<dd>The stored record cannot be read. It is left exactly as it is. <em><code>detail</code> names the record and the reason. A kind that is not registered: start the service with the module that defines it. A newer release wrote it: run that one. Else restore the record from a copy, or move it away.</em></dd>
<dt id="unavailable"><code>unavailable</code> <span>503</span> The storage is unavailable</dt>
<dd>The storage does not answer as it should. <code>detail</code> tells whether something was written. <em>Repeat the same request after the time in Retry-After.</em></dd>
<dt id="outcome_unknown"><code>outcome_unknown</code> <span>503</span> The outcome is not known</dt>
<dd>It may have been done or not, now or later. <em>Repeat the same request after the time in Retry-After. It is answered as before or refused with the current state.</em></dd>
<dt id="contended"><code>contended</code> <span>503</span> Too many writers of one record</dt>
<dd>Others kept changing the same record until the time was up. Nothing was written. <em>Repeat the same request after the time in Retry-After.</em></dd>
<dt id="misconfigured"><code>misconfigured</code> <span>503</span> The service is misconfigured</dt>
<dd>The service or its storage cannot be used as it is configured. <em>A person has to change the configuration; <code>detail</code> and the log tell what.</em></dd>
</dl></section>
</main></body></html>
`;
