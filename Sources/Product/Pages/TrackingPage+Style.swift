extension TrackingPage {
    /// What it looks like. Signs say what colours say, and everything is large enough for a thumb and for sunlight.
    static let style = """
        :root{--amber:#7a4b00;--amber-tint:#fdf0d8;--blue:#124f8c;--blue-tint:#e3effb;--green:#146048;--green-tint:#def3e8;--red:#98231b;--red-tint:#fbe6e4;--grey:#6b3f3b;--grey-tint:#f1e9e8}
        @media(prefers-color-scheme:dark){:root{--amber:#f2c46d;--amber-tint:#33280f;--blue:#8fc3f7;--blue-tint:#12283d;--green:#6fd3a4;--green-tint:#10301f;--red:#f7a39c;--red-tint:#3a1714;--grey:#d6b9b6;--grey-tint:#2d2322}}
        .track{max-width:480px;margin:0 auto;padding:16px}
        .track h1{font-size:24px;margin:8px 0 16px}
        .said{display:flex;gap:12px;align-items:flex-start;margin:0 0 12px;padding:16px;border-radius:10px;font-size:24px;line-height:1.2;font-weight:650}
        .sign{flex:none;width:1.2em;text-align:center}
        .said.waiting{background:var(--amber-tint);color:var(--amber)}
        .said.accepted,.said.on_the_way{background:var(--blue-tint);color:var(--blue)}
        .said.delivered{background:var(--green-tint);color:var(--green)}
        .said.attempt_failed{background:var(--red-tint);color:var(--red)}
        .said.answered{background:var(--amber-tint);color:var(--amber)}
        .said.cancelled{background:var(--grey-tint);color:var(--grey)}
        .about{display:block;margin-top:4px;font-size:18px;font-weight:400}.about time{font-weight:650}
        .why{margin:0 0 16px;font-size:18px}
        dl{margin:0 0 20px}
        dl div{display:flex;justify-content:space-between;gap:0 16px;align-items:baseline;padding:8px 0;border-bottom:1px solid var(--line)}
        dt{color:var(--soft)}
        dd{margin:0;text-align:right;font-size:18px;font-weight:650;font-variant-numeric:tabular-nums}
        .steps{display:flex;gap:8px;margin:0 0 8px;padding:0;list-style:none}
        .steps li{flex:1 1 0;min-width:min-content;padding-top:8px;overflow-wrap:normal;border-top:4px solid var(--line);color:var(--soft);font-size:13px;line-height:1.3}
        .steps time{display:block;font-weight:400;font-variant-numeric:tabular-nums}
        .steps .done{border-color:var(--green)}
        .steps [aria-current]{border-color:var(--green);color:var(--ink);font-weight:650}
        .cash{margin:0 0 20px;padding:12px 16px;border-radius:10px;background:var(--amber-tint);color:var(--amber);font-size:18px;font-weight:650}
        .pin{margin:0 0 20px;padding:16px;border:1px solid var(--line);border-radius:10px;background:var(--paper);text-align:center}
        h2{margin:0;font-size:15px;font-weight:650}
        .digits{margin:4px 0;font:650 48px/1.2 ui-monospace,monospace;letter-spacing:.2em;text-indent:.2em}
        .pin .qr svg{width:132px;border-radius:8px}
        .pin p:last-child{margin:0;color:var(--soft)}
        .aloud{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
        .track:has(.pin) #map{height:min(45vh,240px)}
        @media(scripting:none){#map{display:none}}
        #map{height:min(45vh,320px);margin:0 0 20px;border-radius:10px;border:1px solid var(--line);background:var(--paper);z-index:0}
        @media(min-width:960px){
        .track:has(#map:not([hidden])){display:grid;grid-template:repeat(11,auto) 1fr/480px minmax(0,1fr);gap:0 32px;align-items:start;max-width:1120px}
        .track:has(#map:not([hidden]))>*{grid-column:1}
        .track>#map:not([hidden]){grid-area:1/2/span 12;height:min(100vh - 96px,640px);margin:8px 0 16px}
        }
        .dot{position:relative;display:grid;place-items:center;width:32px;height:32px;border-radius:50%;border:3px solid #fff;background:#124f8c;color:#fff;font:650 15px/1 system-ui;box-shadow:0 1px 4px rgba(0,0,0,.5)}
        .dot.here{background:#146048}
        .dot.here::before{content:"";width:10px;height:10px;border-radius:50%;background:#fff}
        .dot::after{content:attr(data-name);position:absolute;top:32px;padding:0 6px;border-radius:6px;background:var(--paper);color:var(--ink);font-size:13px;line-height:1.4;white-space:nowrap}
        .tight .dot::after{display:none}
        .map-way{stroke:#124f8c;stroke-width:4;stroke-dasharray:1 9;fill:none}
        @media(prefers-color-scheme:dark){.map-way{stroke:#8fc3f7}}
        .grid-tile{border:solid var(--line);border-width:1px 0 0 1px}
        .leaflet-container .leaflet-control-scale-line{color:var(--ink);background:var(--paper);text-shadow:none}
        @media(prefers-color-scheme:dark){img.leaflet-tile{filter:invert(.92) hue-rotate(180deg) saturate(.4) brightness(1.25)}}
        .map-note{margin:0;padding:2px 6px;background:var(--paper);color:var(--ink);font-size:11px}
        details,.rate{margin:0 0 20px;padding:0 16px;border:1px solid var(--line);border-radius:10px;background:var(--paper)}
        summary{display:flex;justify-content:space-between;padding:14px 0;font-size:18px;font-weight:650;cursor:pointer}
        summary::after{content:"+";color:var(--soft)}
        [open] summary::after{content:"−"}
        .quick{display:flex;flex-wrap:wrap;gap:8px;margin:0 0 12px}
        .track .quick button{width:auto;min-height:44px;margin:0;padding:8px 16px;border:1px solid var(--accent);border-radius:99px;background:none;color:var(--accent);font-size:15px;font-weight:400}
        .rate{padding-top:16px}
        fieldset{margin:0 0 8px;padding:0;border:0}
        legend{padding:0;font-size:18px;font-weight:650}
        label{display:block;color:var(--soft)}
        textarea{display:block;width:100%;margin:4px 0 0;padding:12px;border:1px solid var(--soft);border-radius:8px;background:var(--paper);color:var(--ink);font:inherit;font-size:18px}
        .track button{margin:12px 0 16px}
        .stars{display:flex;justify-content:space-between;max-width:320px}
        .stars label{position:relative;display:grid;place-items:center;flex:0 1 56px;min-width:0;height:56px;font-size:40px;line-height:1;cursor:pointer;color:var(--accent)}
        .star::before{content:"☆"}
        .stars input:checked+.star::before{content:"★"}
        .stars label:has(~label input:checked) .star::before{content:"★"}
        .stars input{position:absolute;inset:0;width:100%;height:100%;margin:0;opacity:0;cursor:pointer}
        .stars input:focus-visible+span{outline:3px solid #3f87c9;border-radius:8px}
        .given{margin:0 0 20px;font-size:18px;overflow-wrap:anywhere}.given span{color:var(--accent);letter-spacing:2px}.given q{font-weight:650;white-space:pre-line}:lang(hr) q{quotes:"„" "”"}.given time{color:var(--soft);font-size:15px}
        .call{display:flex;flex-wrap:wrap;justify-content:space-between;gap:4px 16px;min-height:56px;align-items:center;padding:12px 16px;border:1px solid var(--accent);border-radius:8px;background:var(--accent);color:var(--on);font-size:18px;font-weight:650;text-decoration:none}
        main:has(.rate,details,.given) .call{background:none;color:var(--accent)}
        @media(max-width:480px){.call{justify-content:center}.call>:nth-child(2){display:none}}
        main [data-part=state] .call{margin:0 0 20px;background:var(--accent);color:var(--on)}
        main:has(.attempt_failed:not(.answered)) .steps [aria-current]{border-color:var(--red)}
        .notice{padding:12px 16px;border-radius:8px;background:var(--red-tint);color:var(--red);font-weight:650}
        footer{margin:32px 0 0}footer .brand{margin:0;font-size:15px;justify-content:center}
        footer .brand svg{width:20px;height:20px;border-radius:6px}
        @media(max-width:480px){.track{padding:0}}
        """
}
