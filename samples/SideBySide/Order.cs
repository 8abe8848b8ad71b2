namespace SideBySide;

/// <summary>What travels: a struct in Raceway's slots and through channels.</summary>
internal struct Order
{
    public long Id;
    public long Priced;
    public long Checked;
}

/// <summary>What all of them do.</summary>
internal static class Work
{
    public const int Items = 20_000;
    public const int Keys = 100;
    public const int Lanes = 4;
    public const int Producers = 3;

    public static long Price(long id) => 2 * id;

    public static long Check(long id) => 3 * id;

    /// <summary>The bytes of an item: as many as its number says, up to 64.</summary>
    public static byte[] Bytes(long item) => new byte[1 + item % 64];
}
