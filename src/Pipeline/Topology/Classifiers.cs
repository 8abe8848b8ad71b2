namespace Raceway.Pipelines;

/// <summary>Whether an item goes on. Called once an item, by the thread of the filter.</summary>
/// <typeparam name="T">The item type.</typeparam>
public delegate bool ItemPredicate<T>(ref readonly T item);

/// <summary>The index of the output that an item is for. Called once an item, by the thread of the router.</summary>
/// <typeparam name="T">The item type.</typeparam>
public delegate int ItemRoute<T>(ref readonly T item);

/// <summary>The key of an item: the same whenever it is asked.</summary>
/// <typeparam name="T">The item type.</typeparam>
/// <typeparam name="TKey">The key type.</typeparam>
public delegate TKey KeySelector<T, out TKey>(ref readonly T item);

/// <summary>A filter: one output, for what the predicate is true of.</summary>
internal readonly struct PredicateClassifier<T>(ItemPredicate<T> predicate) : IClassifier<T>
{
    public int OutputOf(ref T item) => predicate(in item) ? 0 : -1;
}

/// <summary>A route: an output each.</summary>
internal readonly struct RouteClassifier<T>(string name, ItemRoute<T> route, int outputs) : IClassifier<T>
{
    public int OutputOf(ref T item)
    {
        int output = route(in item);
        return (uint)output < (uint)outputs ? output : throw OutsideOutputs(output);
    }

    private ArgumentOutOfRangeException OutsideOutputs(int output) =>
        new(
            nameof(output),
            output,
            $"A route must be the index of an output: router='{name}', route={output}, outputs={outputs}. "
            + "Use Filter if some items are for no stage.");
}

/// <summary>Keyed lanes: the lane is a bucket of the key's hash.</summary>
internal readonly struct KeyClassifier<T, TKey>(KeySelector<T, TKey> key, int lanes) : IClassifier<T>
    where TKey : notnull, IEquatable<TKey>
{
    public int OutputOf(ref T item) => KeyHash.LaneOf(KeyHash.Of(key(in item)), lanes);
}
