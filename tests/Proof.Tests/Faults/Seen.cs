namespace Raceway.Proof.Tests.Faults;

/// <summary>What has come of a fault, in the words of the table.</summary>
internal sealed record Seen(
    Cell Cell, string Ring, string Item, string Publishes, string Drain, IReadOnlyDictionary<string, long> Counters)
{
    /// <summary>Where it is not what is promised.</summary>
    public IReadOnlyList<string> Differences(Promise promise)
    {
        List<string> found = [];
        Compare("ring", promise.Ring, Ring);
        Compare("item", promise.Item, Item);
        Compare("publishes", promise.Publishes, Publishes);
        Compare("drain", promise.Drain, Drain);
        Dictionary<string, (long Least, long Most)> promised = FaultTable.Counts(promise.Counters, Cell.Kind);
        foreach ((string name, long count) in Counters)
        {
            (long least, long most) = promised.GetValueOrDefault(name);
            if (count < least || count > most) found.Add($"{Cell}: {name} is {count}, promised {least} to {most}");
        }

        return found;

        void Compare(string what, string expected, string seen)
        {
            if (!FaultTable.Alternatives(expected).Contains(seen))
                found.Add($"{Cell}: {what} is '{seen}', promised '{expected}'");
        }
    }
}
