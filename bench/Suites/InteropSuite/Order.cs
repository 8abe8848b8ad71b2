namespace Raceway.Suites.InteropSuite;

/// <summary>What goes through the program.</summary>
internal struct Order
{
    public long Id;
    public long Price;
    public long Total;

    /// <summary>The order of that number.</summary>
    public static Order Of(long id) => new() { Id = id, Price = 100 + (id * 7919 & 1023) };

    /// <summary>What the stage in the middle does.</summary>
    public void SetTotal() => Total = Price * (1 + (Id & 15)) - Price / 8;
}
