using Raceway.Pipelines;

namespace Raceway.Interop.Distributed;

/// <summary>From a key to its partition: the same in every process, and the same function as keyed lanes have.</summary>
internal static class PartitionOf
{
    /// <summary>The partition of an item's key.</summary>
    /// <exception cref="ArgumentException">Keys of that type do not hash the same in every process.</exception>
    public static ItemRoute<T> Key<T, TKey>(KeySelector<T, TKey> key, int partitions)
        where TKey : notnull, IEquatable<TKey>
    {
        ArgumentNullException.ThrowIfNull(key);
        if (!IsStable(typeof(TKey))) throw LinkErrors.Key(typeof(TKey));
        return (ref readonly T item) => KeyHash.LaneOf(KeyHash.Of(key(in item)), partitions);
    }

    private static bool IsStable(Type key) =>
        key == typeof(string) || key == typeof(Guid) || key == typeof(long) || key == typeof(ulong)
        || key == typeof(int) || key == typeof(uint);
}
