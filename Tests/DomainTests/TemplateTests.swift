import Testing

@testable import Domain

extension Template: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self.init(text) }
}

@Suite struct TemplateTests {
    private func fill(_ template: Template, _ arguments: [String: String]) -> String {
        template.filled(with: arguments) { $0 == 1 ? 0 : 1 }
    }

    @Test func `templates have their arguments in the places`() {
        #expect(fill("plain", [:]) == "plain")
        #expect(fill("", ["a": "1"]) == "")
        #expect(fill("{a}{b} and {a}", ["a": "1", "b": "2"]) == "12 and 1")
        #expect(fill("x {a} y", [:]) == "x  y")
    }

    @Test func `templates leave out what lacks an argument, or take the next choice`() {
        let template: Template = "A[ of {a}] is [{a} and {b}|{b} alone|nothing][.]"
        #expect(fill(template, ["a": "1", "b": "2"]) == "A of 1 is 1 and 2.")
        #expect(fill(template, ["b": "2"]) == "A is 2 alone.")
        #expect(fill(template, ["a": "1"]) == "A of 1 is nothing.")
        #expect(fill(template, ["a": "", "b": ""]) == "A is nothing.")
        #expect(fill("[x[ {a}]|y]", [:]) == "y")
    }

    @Test func `templates have the form that goes with a number`() {
        let template: Template = "{n} {n:day,days}"
        #expect(fill(template, ["n": "1"]) == "1 day")
        #expect(fill(template, ["n": "5"]) == "5 days")
        #expect(fill(template, ["n": "many"]) == "many days")
        #expect(fill("[in {n:day,days}]", [:]) == "")
    }

    @Test(arguments: ["{b}", "[{b}]", "a|b", "{", "]", "{n:x,y}", "\\", "%@", "{{a}}"])
    func `templates take values as they are`(value: String) {
        #expect(fill("<{a}>[ {b}]", ["a": value]) == "<\(value)>")
        #expect(fill("[{a}|{b}]", ["a": value, "b": "2"]) == value)
    }

    @Test func `templates know the arguments they have places for`() {
        let template: Template = "{a} [{b}|{c:x,y}[{d}]]"
        #expect(template.arguments == ["a", "b", "c", "d"])
    }
}
