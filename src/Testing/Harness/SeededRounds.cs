namespace Raceway.Testing;

/// <summary>Draws rounds by a seed: the order of the stages, how many items each may take, and which are left out.</summary>
/// <remarks>A round is drawn anew only once it has done something. So how often a caller looks in vain does not change what comes.</remarks>
internal sealed class SeededRounds(int seed, bool inOrder, int most, double stallChance)
{
    private readonly Random _random = new(seed);
    private (int Index, int Most)[] _round = [];
    private bool[] _left = [];

    /// <summary>The stages to step now.</summary>
    public IEnumerable<(int Index, int Most)> Current(int stages)
    {
        if (_round.Length != stages) Draw(stages);
        return _round.Where((_, place) => !_left[place]);
    }

    /// <summary>The round has done something.</summary>
    public void Next() => Draw(_round.Length);

    /// <summary>Leaves no stage out for the rest of the round; false if none was.</summary>
    public bool EndStalls()
    {
        bool any = Array.IndexOf(_left, true) >= 0;
        Array.Clear(_left);
        return any;
    }

    private void Draw(int stages)
    {
        int[] order = [.. Enumerable.Range(0, stages)];
        if (!inOrder) _random.Shuffle(order);
        _round = [.. order.Select(index => (index, most == int.MaxValue ? most : _random.Next(1, most + 1)))];
        _left = [.. order.Select(_ => stallChance > 0 && _random.NextDouble() < stallChance)];
    }
}
