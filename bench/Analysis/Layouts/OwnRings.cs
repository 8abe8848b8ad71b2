using System.Runtime.CompilerServices;
using Raceway.Rings;

namespace Raceway.Analysis.Layouts;

/// <summary>Checks live rings of every kind: where their cells and slots really lie, by address.</summary>
public static class OwnRings
{
    private const int Capacity = 64;
    private const int LeastCells = 8;
    private const int LineSize = 64; // what CellPadding.Line and the slots' first byte are made for

    /// <summary>Builds the rings and checks them.</summary>
    /// <param name="lines">The lines that padded structs of live objects must not share.</param>
    public static IEnumerable<OwnCheck> Check(CacheLines lines)
    {
        foreach (CellPadding padding in Enum.GetValues<CellPadding>())
        {
            foreach (ProducerKind kind in Enum.GetValues<ProducerKind>())
            {
                foreach (OwnCheck check in CheckRing(padding, kind, lines)) yield return check;
            }
        }

        foreach (int stride in new[] { 0, LineSize, 2 * LineSize }) yield return CheckSlots(stride);
    }

    /// <summary>Whether cells lie as a padding promises.</summary>
    /// <param name="name">The owner of the cells.</param>
    /// <param name="cells">Their addresses.</param>
    /// <param name="padding">The padding.</param>
    internal static OwnCheck CheckCells(string name, IReadOnlyCollection<nint> cells, CellPadding padding)
    {
        int unit = padding == CellPadding.None ? LineSize : (int)padding;
        int units = cells.Select(cell => cell / unit).Distinct().Count();
        string found = $"{cells.Count} cells on {units} {(unit == LineSize ? "lines" : "pairs of lines")}";
        return cells.Count < LeastCells
                ? new OwnCheck(name, false, $"only {cells.Count} cells were found: is the ring built otherwise now?")
            : padding == CellPadding.None ? new OwnCheck(name, units < cells.Count, $"{found}: packed, on purpose.")
            : new OwnCheck(
                name,
                units == cells.Count && cells.All(cell => cell % unit == 0),
                units == cells.Count ? $"{found}, each with one to itself." : $"{found}: some share one.");
    }

    private static IEnumerable<OwnCheck> CheckRing(CellPadding padding, ProducerKind kind, CacheLines lines)
    {
        string name = $"live ring, {kind} producers, CellPadding.{padding}";
        var ring = new RingBuffer<long>(
            Capacity, new RingOptions<long> { Padding = padding, Producers = kind, MaxProducers = 2 });
        Stage first = ring.Subscribe(static (ref long item) => item++);
        ring.Subscribe(static (ref long item) => item++, new StageOptions { After = [first] });
        Producer<long>[] producers = kind switch
        {
            ProducerKind.Single => [ring.CreateProducer()],
            ProducerKind.Sharded => [ring.CreateProducer(), ring.CreateProducer()],
            _ => [ring.CreateMultiProducer(), ring.CreateMultiProducer()],
        };

        var graph = new LiveGraph([ring, .. producers]);
        yield return CheckCells(name, graph.Cells, padding);
        string[] shared =
        [
            .. graph.Objects.Where(static one => HotState.In(one.GetType()).Any()).SelectMany(one =>
                OwnTypes.Sharing(
                    HotState.Inspect(one.GetType()),
                    lines with { At = (int)(RawObject.AddressOf(one) % lines.Size) })
                .Select(text => $"{TypeNames.Of(one.GetType())}: {text}")),
        ];
        int hot = graph.Objects.Count(static one => HotState.In(one.GetType()).Any());
        yield return new OwnCheck(
            name,
            hot > 0 && shared.Length == 0,
            shared.Length == 0
                ? $"{hot} live objects with hot fields, by themselves at their addresses."
                : string.Join(" ", shared));
        foreach (Producer<long> producer in producers) producer.Dispose();
        GC.KeepAlive(ring);
    }

    private static unsafe OwnCheck CheckSlots(int stride)
    {
        var ring = new RingBuffer<long>(Capacity, new RingOptions<long> { SlotStride = stride });
        // SAFETY: slots without references are pinned, and the ring keeps them; the addresses are only computed with.
        nint[] slots = [.. Enumerable.Range(0, Capacity).Select(i => (nint)Unsafe.AsPointer(ref ring.Slots[i]))];
        GC.KeepAlive(ring);
        int units = slots.Select(static slot => slot / LineSize).Distinct().Count();
        int wanted = stride == 0 ? Capacity * sizeof(long) / LineSize : Capacity;
        return new OwnCheck(
            $"live slots, SlotStride {stride}",
            slots[0] % LineSize == 0 && units == wanted,
            $"{Capacity} slots on {units} lines, the first at {slots[0] % LineSize} of its line.");
    }
}
