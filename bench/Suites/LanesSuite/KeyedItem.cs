namespace Raceway.Suites.LanesSuite;

/// <summary>An item of the lanes suite.</summary>
/// <param name="Key">The key that it belongs to.</param>
/// <param name="Number">Which of all items it is, in the order in which they are produced.</param>
public readonly record struct KeyedItem(int Key, int Number);
