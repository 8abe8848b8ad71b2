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
    private readonly Dictionary<int, long> _terms = [];

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

    /// <summary>Writes that came with an older term than the partition's newest.</summary>
    public int Stale { get; private set; }

    /// <summary>Compares and sets: false if the item's worker is not the one that had the partition last.</summary>
    public bool TryWrite(in Keyed item, in OwnedItem owned, bool positions)
    {
        lock (_gate)
        {
            int partition = owned.Position.Stream.Partition;
            if (_terms.TryGetValue(partition, out long newest) && owned.Term < newest)
            {
                Stale++;
                return false;
            }

            _terms[partition] = owned.Term;
            Write(item, positions ? owned.Position : null);
            return true;
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

/// <summary>As <see cref="WriteToSink"/>, with the fencing token: leaves out what is not the worker's any more.</summary>
internal sealed class WriteWithTerm(Sink sink, Func<LinkSource<Keyed>> source, bool positions) : IBatchHandler<Keyed>
{
    public void OnBatch(Batch<Keyed> batch)
    {
        for (int i = 0; i < batch.Count; i++)
        {
            if (!source().TryOwn(batch.Sequence + i, out OwnedItem owned)) continue;
            if (!sink.TryWrite(batch[i], owned, positions)) source().Disown(batch.Sequence + i);
        }
    }
}
