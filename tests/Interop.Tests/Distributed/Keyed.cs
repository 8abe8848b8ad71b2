using Raceway.Interop.Distributed;
using Raceway.Rings;

namespace Raceway.Interop.Tests.Distributed;

/// <summary>An item of the tests of links: the n-th of its key.</summary>
internal struct Keyed
{
    public int Key;
    public int Number;

    /// <summary>Item <paramref name="index"/> of a sequence over <paramref name="keys"/> keys, one after another.</summary>
    public static Keyed At(int index, int keys) => new() { Key = index % keys, Number = index / keys };

    public static int KeyOf(ref readonly Keyed item) => item.Key;

    public static IItemCodec<Keyed> Codec { get; } = ItemCodec.Unmanaged<Keyed>();
}

/// <summary>What outlives workers: it takes an item of each position once, and remembers what it was told twice.</summary>
internal sealed class Sink(int keys)
{
    private readonly object _gate = new();
    private readonly List<int>[] _items = [.. Enumerable.Range(0, keys).Select(_ => new List<int>())];
    private readonly Dictionary<LinkStream, long> _positions = [];

    public int Writes { get; private set; }

    public long Fenced { get; private set; }

    /// <summary>The last position of a stream that it has: what a worker asks when it meets the stream.</summary>
    public long? PositionOf(LinkStream stream)
    {
        lock (_gate) return _positions.TryGetValue(stream, out long position) ? position : -1;
    }

    public void Write(in Keyed item, LinkPosition? position)
    {
        lock (_gate)
        {
            Writes++;
            if (position is { } known)
            {
                if (_positions.TryGetValue(known.Stream, out long last) && known.Number <= last)
                {
                    Fenced++;
                    return;
                }

                _positions[known.Stream] = known.Number;
            }

            _items[item.Key].Add(item.Number);
        }
    }

    /// <summary>Everything is there; each key's items came in order, leaving those out that came again.</summary>
    public string? Problem(int items)
    {
        lock (_gate)
        {
            for (int key = 0; key < keys; key++)
            {
                int expected = (items - key + keys - 1) / keys;
                int next = 0;
                foreach (int number in _items[key])
                {
                    if (number > next) return $"key {key}: {number} before {next}";
                    if (number == next) next++;
                }

                if (next != expected) return $"key {key}: {next} of {expected}";
            }

            return null;
        }
    }

    /// <summary>What is not there.</summary>
    public List<Keyed> Missing(int items)
    {
        lock (_gate)
        {
            HashSet<int>[] there = [.. _items.Select(static numbers => numbers.ToHashSet())];
            return
            [
                .. Enumerable.Range(0, items).Select(index => Keyed.At(index, keys)).Where(one => !there[one.Key].Contains(one.Number)),
            ];
        }
    }

    /// <summary>How many items are there more than once.</summary>
    public int Repeated()
    {
        lock (_gate) return _items.Sum(list => list.Count - list.Distinct().Count());
    }
}

/// <summary>The last stage but one of a worker: writes each item with its position into the sink.</summary>
internal sealed class WriteToSink(Sink sink, Func<LinkSource<Keyed>?> source, Keyed? poison = null) : IBatchHandler<Keyed>
{
    public void OnBatch(Batch<Keyed> batch)
    {
        for (int i = 0; i < batch.Count; i++)
        {
            if (batch[i].Equals(poison)) throw new FormatException("poison");
            LinkPosition? position = null;
            if (source() is { } from)
            {
                position = from.TryLocate(batch.Sequence + i, out LinkPosition at, out _)
                    ? at
                    : throw new InvalidOperationException($"No position for {batch.Sequence + i}.");
            }

            sink.Write(batch[i], position);
        }
    }
}
