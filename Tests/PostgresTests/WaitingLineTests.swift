import Testing

@testable import Postgres

@Suite struct WaitingLineTests {
    /// It grows while its beginning is anywhere in the ring, and while its end has come round.
    @Test(arguments: [0, 1, 15, 16, 31]) func `what comes first goes first, also where the ring begins anew`(start: Int)
    {
        var line = WaitingLine<Int>()
        for number in 0..<start {
            line.append(number)
            #expect(line.popFirst() == number)
        }
        for number in 0..<100 { line.append(number) }
        #expect(line.count == 100 && line.first == 0)
        line.keep { $0.isMultiple(of: 3) }
        #expect(line.count == 34)
        var left: [Int] = []
        while let number = line.popFirst() { left.append(number) }
        #expect(left == Array(stride(from: 0, to: 100, by: 3)))
        #expect(line.isEmpty && line.first == nil && line.popFirst() == nil)
    }
}
