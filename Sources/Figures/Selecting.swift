extension Array where Element: Comparable {
    /// The element that stands at this place once they are in order. No more is put in order than this takes: those before it are not
    /// greater then. Where to divide them is drawn, so that no order they come in makes it slow.
    mutating func select(_ place: Int) -> Element {
        var (first, last) = (0, count - 1)
        while first < last {
            let pivot = self[Int.random(in: first...last)]
            var (low, high) = (first, last)
            while low <= high {
                while self[low] < pivot { low += 1 }
                while self[high] > pivot { high -= 1 }
                guard low <= high else { break }
                swapAt(low, high)
                low += 1
                high -= 1
            }
            guard place <= high || place >= low else { break }
            if place <= high { last = high } else { first = low }
        }
        return self[place]
    }
}
