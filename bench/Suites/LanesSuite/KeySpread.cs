namespace Raceway.Suites.LanesSuite;

/// <summary>How items fall on keys.</summary>
public enum KeySpread
{
    /// <summary>Each key as often as any other.</summary>
    Uniform,

    /// <summary>The nth most frequent key 1/n times as often as the first: of a million, it has 7 % of all items.</summary>
    Zipf,
}
