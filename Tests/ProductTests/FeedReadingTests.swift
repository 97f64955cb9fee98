import Domain
import HTTP
import TestSupport
import Testing

@testable import Bulletin

/// What the bulletin takes of feeds that others write: text, and nothing else.
@Suite struct FeedReadingTests {
    private func read(_ text: String) throws -> ReadFeed { try ReadFeed(Array(text.utf8)) }

    private func rss(_ items: String, before: String = "", title: String = "HAK") -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>\(before)
        <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"
            xmlns:media="http://search.yahoo.com/mrss/"><channel><title>\(title)</title><link>https://hak.hr</link>\(items)</channel></rss>
        """
    }

    @Test func `RSS is read`() throws {
        let feed = try read(
            rss(
                """
                <image><title>Nije naslov</title><link>https://x.example</link></image>
                <item><title>Bura na A1</title><link>https://hak.hr/1</link><guid>1</guid>
                  <media:title>Ni ovo</media:title>
                  <description>&lt;p&gt;Zatvoreno za &lt;b&gt;kamione&lt;/b&gt;&lt;/p&gt;&lt;p&gt;do 18 h &amp;amp; dulje&lt;/p&gt;</description>
                  <pubDate>Mon, 02 Nov 2026 13:00:30 +0100</pubDate></item>
                <item><title><![CDATA[Radovi <i>na</i> mostu]]></title><content:encoded><![CDATA[<div>Jedan<br/>dva</div>]]></content:encoded>
                  <description>kraće</description><guid isPermaLink="false">tag:2</guid><dc:date>2026-11-03T10:00:00Z</dc:date></item>
                <item><title>Poledica</title></item>
                <item><title>Magla</title><guid>https://hak.hr/3</guid></item>
                <item><title>Led</title><guid isPermaLink="false">https://hak.hr/4</guid></item>
                """))
        #expect(feed.title == "HAK" && feed.empty == [])
        let (first, second) = (feed.entries[0], feed.entries[1])
        #expect(first.title == "Bura na A1" && first.text == "Zatvoreno za kamione\ndo 18 h & dulje")
        #expect(first.link == "https://hak.hr/1" && first.guid == nil)
        #expect(try first.publishedAt == Moment("2026-11-02T12:00:30Z"))
        #expect(second.title == "Radovi na mostu" && second.text == "Jedan\ndva")
        #expect(second.link == nil && second.guid == "tag:2")
        #expect(try second.publishedAt == Moment("2026-11-03T10:00:00Z"))
        #expect(feed.entries[2].guid?.contains("Poledica") == true)
        // What an entry is called is where it is found, unless that is denied.
        #expect(feed.entries[3].link == "https://hak.hr/3" && feed.entries[3].guid == nil)
        #expect(feed.entries[4].link == nil && feed.entries[4].guid == "https://hak.hr/4")
    }

    @Test func `Atom is read`() throws {
        let feed = try read(
            """
            <feed xmlns="http://www.w3.org/2005/Atom"><title type="text">Ceste</title><id>urn:1</id><author><name>N</name></author>
            <entry><title type="html">Magla &amp;amp; led</title><id>urn:2</id><updated>2026-11-02T13:00:00+01:00</updated>
              <link rel="self" href="https://x.example/self"/><link href="https://x.example/a?b=1&amp;c=2"/><link href="https://x.example/b"/>
              <summary>kratko</summary><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Vozite <b>polako</b>.</p><script>alert(1)</script></div></content>
              <source><title>Drugi</title></source></entry>
            <entry><id>urn:3</id><summary>Bez naslova</summary></entry></feed>
            """)
        #expect(feed.title == "Ceste")
        let (first, second) = (feed.entries[0], feed.entries[1])
        #expect(first.title == "Magla & led" && first.link == "https://x.example/a?b=1&c=2")
        #expect(first.text.hasPrefix("Vozite polako") && !first.text.contains("<"))
        #expect(try first.publishedAt == Moment("2026-11-02T12:00:00Z"))
        #expect(second.title == "Bez naslova" && second.guid == "urn:3" && second.publishedAt == nil)
    }

    @Test func `JSON Feed is read`() throws {
        let feed = try read(
            """
            \u{FEFF} {"version":"https://jsonfeed.org/version/1.1","title":"Vijesti","items":[
              {"id":"1","url":"https://x.example/1","title":"Jedan","content_html":"<p>A</p><p>B</p>","date_published":"2026-11-02T13:00:00+01:00"},
              {"id":"2","content_text":"Samo tekst"},{"id":"4","title":"x","content_text":"a <b>c</b> &amp; d"},{"id":"3"},7]}
            """)
        #expect(feed.title == "Vijesti" && feed.entries.count == 3 && feed.empty == [4, 5])
        #expect(feed.entries[0].text == "A\nB" && feed.entries[1].title == "Samo tekst")
        // What is plain by its name is no markup.
        #expect(feed.entries[2].text == "a <b>c</b> &amp; d")
    }

    @Test func `what nobody can see says nothing`() throws {
        let invisible = "\u{200B}\u{2060} \u{FE0F}\u{AD}"
        let feed = try read(
            rss(
                """
                <item><title>\(invisible)</title><description>&lt;p&gt;\(invisible)&lt;/p&gt;</description></item>
                <item><title>\(invisible)</title><description>Bura</description></item>
                <item><title>&lt;b&gt;&lt;/b&gt;</title><description>Magla</description></item>
                <item><title>Led</title><description>\(invisible)</description></item>
                """))
        #expect(feed.empty == [1])
        #expect(feed.entries.map(\.title) == ["Bura", "Magla", "Led"])
        #expect(feed.entries.map(\.text) == ["Bura", "Magla", ""])
    }

    @Test(arguments: [
        "", "{", "{}", "[]", "<a/>", "<html><body>x</body></html>", "nothing", "<rss version='2.0'><channel><item>",
        "{\"version\":\"https://jsonfeed.org/version/1.1\"}", "\u{0}\u{0}\u{0}", "<rss><channel></feed>",
        "<feed xmlns='http://www.w3.org/2005/Atom'>&nbsp;</feed>",
    ])
    func `what is no feed is refused with words`(_ text: String) {
        #expect { try read(text) } throws: { "\($0)".count > 5 }
    }

    /// None of these may be read, let alone come to anything.
    @Test(arguments: [
        // A billion laughs, in content and in an attribute, and by parameters.
        """
        <!DOCTYPE rss [<!ENTITY a "haha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">
        <!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;"><!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;"><!ENTITY f "&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;">
        <!ENTITY x "&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;">]>
        """,
        "<!DOCTYPE rss [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>",
        "<!DOCTYPE rss SYSTEM \"http://127.0.0.1:9/x.dtd\">",
        "<!DOCTYPE rss [<!ENTITY % p SYSTEM \"http://127.0.0.1:9/x.dtd\"> %p;]>",
        "<!DOCTYPE rss [<!ENTITY % a \"&#37;b;&#37;b;\"><!ENTITY % b \"<!ENTITY x 'laugh'>\"> %a; %a;]>",
    ])
    func `entities are resolved by nobody`(_ before: String) {
        for item in ["<item><title>&x;</title></item>", "<item><link href=\"&x;\"/></item>"] {
            #expect { try read(rss(item, before: before)) } throws: { "\($0)".contains("document type") }
        }
    }

    @Test func `what stands too deep is refused`() {
        let deep = String(repeating: "<b>", count: 100) + String(repeating: "</b>", count: 100)
        #expect { try read(rss("<item><title>\(deep)</title></item>")) } throws: { "\($0)".contains("deep") }
        let json = String(repeating: "[", count: 100_000)
        #expect(throws: FeedError.self) {
            try read("{\"version\":\"https://jsonfeed.org/version/1\",\"items\":\(json)")
        }
    }

    /// Each of these has made some reader slow: what is read takes a time that grows with it, and no faster.
    @Test(arguments: [
        ("<", 250_000), ("<a ", 80_000), ("&", 250_000), ("<script>", 30_000), ("<!--", 60_000), ("e\u{301}", 80_000),
        (" ", 250_000), ("&amp", 60_000),
    ])
    func `markup that never ends is skipped, and a text has its bound`(_ part: String, _ count: Int) throws {
        let text = String(repeating: part, count: count)
        let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        let feed = try read(rss("<item><title>Naslov</title><description>\(escaped)</description></item>"))
        #expect(feed.entries[0].title == "Naslov")
        let told = feed.entries[0].text
        #expect(told.count <= Bounds.bulletinText && told.utf8.count <= 4 * Bounds.bulletinText)
    }

    @Test(arguments: [
        ("<b>a</b>", "a"), ("a<br>b", "a b"), ("1 < 2 & 3 > 2", "1 < 2 & 3 > 2"), ("a<!-- <b> -->b", "a b"),
        ("x<script>alert('<b>')</script>y", "x y"), ("<STYLE>p{}</STYLE>y", "y"),
        ("&#269;&#x107;&scaron;&unknown;&", "čćš&unknown;&"),
        ("&lt;b&gt;", "<b>"), ("a <i t=\"x>y\">b</i>", "a b"), ("a <i t='x>y'>b</i>", "a b"), ("a <don't>b", "a b"),
        ("a\u{202E}b\u{0}c\u{7}", "abc"), ("<img src=x onerror=alert(1)>slika", "slika"),
        ("&#0;&#xD800;", "&#xD800;"),
        ("  a \n\t b  ", "a b"), ("<a href='javascript:x'>dalje</a>", "dalje"), ("a<b", "a"),
    ])
    func `text loses its markup and nothing else`(_ html: String, _ plain: String) {
        #expect(PlainText.line(html, upTo: 100) == plain)
    }

    @Test func `what is too long ends with dots`() {
        #expect(PlainText.line(String(repeating: "ž", count: 10), upTo: 10) == String(repeating: "ž", count: 10))
        #expect(PlainText.line(String(repeating: "ž", count: 11), upTo: 10) == String(repeating: "ž", count: 9) + "…")
        #expect(PlainText.line("e" + String(repeating: "\u{301}", count: 5000), upTo: 10).utf8.count <= 40)
    }

    @Test(arguments: [
        "javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "/relative", "https://x.example/a b", "",
    ])
    func `links lead to pages alone`(_ link: String) throws {
        let feed = try read(rss("<item><title>A</title><link>\(link)</link></item>"))
        #expect(feed.entries[0].link == nil)
    }

    @Test(arguments: [
        ("Mon, 02 Nov 2026 13:00:00 GMT", "2026-11-02T13:00:00Z"), ("2 Nov 26 13:00 EST", "2026-11-02T18:00:00Z"),
        ("Mon, 02 Nov 2026 13:00:00 +0530", "2026-11-02T07:30:00Z"), ("02 Nov 2026 13:00:00", "2026-11-02T13:00:00Z"),
        ("2026-11-02T13:00:00.5-01:00", "2026-11-02T14:00:00.500Z"),
        ("Tue, 2 November 1999 01:02:03 Z", "1999-11-02T01:02:03Z"),
    ])
    func `times are read as feeds write them`(_ text: String, _ time: String) throws {
        #expect(try FeedDate.moment(text) == Moment(time))
    }

    @Test(arguments: [
        "", "yesterday", "31 Feb 2026 10:00 GMT", "2 Foo 2026 10:00 GMT", "2026-13-01T00:00:00Z",
        "1 Nov 2026 25:00 GMT", "2 Nov 2026 10:0 GMT", "2 Nov 2026 10:00:1 GMT", "2 Nov 2026 10:00 +010",
        "2 Nov 2026 10:00 +01:00", "Nov 2 2026 10:00", "2 Nov 026 10:00", "2 Nov 2026 10:00 GMT GMT",
        "2 Nov 2026 10::00",
        "Mo, 2 Nov 2026 10:00",
    ])
    func `what is no time is none`(_ text: String) { #expect(FeedDate.moment(text) == nil) }

    @Test func `other encodings are read`() throws {
        let text = rss("<item><title>Šćepan Đurđević žuri</title></item>")
        func entry(_ bytes: [UInt8]) throws -> String { try ReadFeed(bytes).entries[0].title }
        let title = "Šćepan Đurđević žuri"
        let wide = text.replacing("UTF-8", with: "UTF-16")
        #expect(try entry([0xff, 0xfe] + wide.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }) == title)
        #expect(try entry([0xfe, 0xff] + wide.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }) == title)
        #expect(try entry([0xef, 0xbb, 0xbf] + Array(text.utf8)) == title)
        let letters: [Unicode.Scalar: UInt8] = ["Š": 0x8a, "ć": 0xe6, "Đ": 0xd0, "đ": 0xf0, "ž": 0x9e]
        let narrow = text.replacing("UTF-8", with: "windows-1250").unicodeScalars.map { letters[$0] ?? UInt8($0.value) }
        #expect(try entry(narrow) == title)
        // What is not what it says is refused, and not guessed.
        #expect(throws: FeedError.self) {
            try entry(Array(text.utf8.prefix(150)) + [0xff, 0xfe] + Array(text.utf8.dropFirst(150)))
        }
    }

    @Test func `twenty thousand entries are read`() throws {
        let items = (0..<20_000).map { "<item><title>Vijest \($0)</title><link>https://hak.hr/\($0)</link></item>" }
            .joined()
        let feed = try read(rss(items))
        #expect(feed.entries.count == 20_000 && feed.entries.last?.link == "https://hak.hr/19999")
    }
}
