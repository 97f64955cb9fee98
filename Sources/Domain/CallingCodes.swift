/// How the numbers of countries begin, and which of them cost more than an SMS should.
public enum CallingCodes {
    /// A country as ISO 3166 names it, with the beginnings of its numbers, without the plus.
    static let ofCountries: [String: [String]] = Dictionary(
        uniqueKeysWithValues: table.split(separator: "\n").map { line in
            let words = line.split(separator: " ").map(String.init)
            return (words[0], Array(words.dropFirst()))
        })

    /// Whether there is such a country.
    public static func knows(_ country: String) -> Bool { ofCountries[country] != nil }

    private static let all = Set(ofCountries.values.joined())

    /// How many of a number's digits, which come without the plus, are its country's.
    public static func length(of digits: some StringProtocol) -> Int {
        (1...2).first { all.contains(String(digits.prefix($0))) } ?? 3
    }

    /// How the numbers of these countries begin, each with its plus.
    public static func beginnings(of countries: [String]) -> [String] {
        Set(countries.flatMap { ofCountries[$0] ?? [] }).sorted().map { "+" + $0 }
    }

    /// How those numbers begin that nevertheless get no SMS: ones that cost extra or are shared between caller and called, and
    /// those of other countries that begin alike.
    public static func never(within countries: [String]) -> [String] {
        let allowed = Set(countries.flatMap { ofCountries[$0] ?? [] })
        let others = ofCountries.filter { !countries.contains($0.key) }.values.joined()
        let foreign = Set(others).subtracting(allowed).filter { code in allowed.contains { code.hasPrefix($0) } }
        let dear = premium.filter { range in allowed.contains { range.hasPrefix($0) } }
        return (foreign + dear).sorted().map { "+" + $0 }
    }

    /// Numbers at a premium or of shared cost. Those at the end belong to no country, and so to none that can be allowed.
    static let premium: [String] = """
        3856 38572
        38689 38690 38790 38190 3829 3690 3691
        439 43810 43820 43821 43828 49137 49180 49190 49900
        39144 39166 39199 39892 39894 39895 39899 41840 41842 41844 41848 4190
        44843 44844 44845 44870 44871 44872 44873 449 3381 3382 3389 34803 34806 34807 34901 34902 34905
        31900 31906 31909 3290 4830 4840 4870 1900
        800 808 870 878 881 882 883 888 979
        """.split { $0.isWhitespace }.map(String.init)

    private static let table = """
        AD 376
        AE 971
        AF 93
        AG 1268
        AI 1264
        AL 355
        AM 374
        AO 244
        AR 54
        AS 1684
        AT 43
        AU 61
        AW 297
        AZ 994
        BA 387
        BB 1246
        BD 880
        BE 32
        BF 226
        BG 359
        BH 973
        BI 257
        BJ 229
        BM 1441
        BN 673
        BO 591
        BQ 5993 5994 5997
        BR 55
        BS 1242
        BT 975
        BW 267
        BY 375
        BZ 501
        CA 1204 1226 1236 1249 1250 1263 1289 1306 1343 1354 1365 1367 1368 1382 1403 1416 1418 1428 1431 1437 1438 1450 1468 1474 1506 1514 1519 1548 1579 1581 1584 1587 1604 1613 1639 1647 1672 1683 1705 1709 1742 1753 1778 1780 1782 1807 1819 1825 1867 1873 1879 1902 1905
        CD 243
        CF 236
        CG 242
        CH 41
        CI 225
        CK 682
        CL 56
        CM 237
        CN 86
        CO 57
        CR 506
        CU 53
        CV 238
        CW 5999
        CY 357
        CZ 420
        DE 49
        DJ 253
        DK 45
        DM 1767
        DO 1809 1829 1849
        DZ 213
        EC 593
        EE 372
        EG 20
        ER 291
        ES 34
        ET 251
        FI 358
        FJ 679
        FK 500
        FM 691
        FO 298
        FR 33
        GA 241
        GB 44
        GD 1473
        GE 995
        GF 594
        GG 441481 447781 447839 447911
        GH 233
        GI 350
        GL 299
        GM 220
        GN 224
        GP 590
        GQ 240
        GR 30
        GT 502
        GU 1671
        GW 245
        GY 592
        HK 852
        HN 504
        HR 385
        HT 509
        HU 36
        ID 62
        IE 353
        IL 972
        IM 441624 447524 447624 447924
        IN 91
        IQ 964
        IR 98
        IS 354
        IT 39
        JE 441534 447509 447700 447797 447829 447937
        JM 1876 1658
        JO 962
        JP 81
        KE 254
        KG 996
        KH 855
        KI 686
        KM 269
        KN 1869
        KP 850
        KR 82
        KW 965
        KY 1345
        KZ 76 77
        LA 856
        LB 961
        LC 1758
        LI 423
        LK 94
        LR 231
        LS 266
        LT 370
        LU 352
        LV 371
        LY 218
        MA 212
        MC 377
        MD 373
        ME 382
        MG 261
        MH 692
        MK 389
        ML 223
        MM 95
        MN 976
        MO 853
        MP 1670
        MQ 596
        MR 222
        MS 1664
        MT 356
        MU 230
        MV 960
        MW 265
        MX 52
        MY 60
        MZ 258
        NA 264
        NC 687
        NE 227
        NG 234
        NI 505
        NL 31
        NO 47
        NP 977
        NR 674
        NU 683
        NZ 64
        OM 968
        PA 507
        PE 51
        PF 689
        PG 675
        PH 63
        PK 92
        PL 48
        PM 508
        PR 1787 1939
        PS 970
        PT 351
        PW 680
        PY 595
        QA 974
        RE 262
        RO 40
        RS 381
        RU 7
        RW 250
        SA 966
        SB 677
        SC 248
        SD 249
        SE 46
        SG 65
        SH 290
        SI 386
        SK 421
        SL 232
        SM 378
        SN 221
        SO 252
        SR 597
        SS 211
        ST 239
        SV 503
        SX 1721
        SY 963
        SZ 268
        TC 1649
        TD 235
        TG 228
        TH 66
        TJ 992
        TK 690
        TL 670
        TM 993
        TN 216
        TO 676
        TR 90
        TT 1868
        TV 688
        TW 886
        TZ 255
        UA 380
        UG 256
        US 1
        UY 598
        UZ 998
        VA 379
        VC 1784
        VE 58
        VG 1284
        VI 1340
        VN 84
        VU 678
        WF 681
        WS 685
        XK 383
        YE 967
        YT 262269 262639
        ZA 27
        ZM 260
        ZW 263
        """
}
