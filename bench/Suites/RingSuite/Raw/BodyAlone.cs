using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Raceway.Measuring;

namespace Raceway.Suites.RingSuite;

/// <summary>
/// The measuring body of a case alone: what its producer and its stage do with each item, on one thread, without a hand-over.
/// </summary>
/// <remarks>
/// Slot by slot it takes the item that was written there a lap before, and writes the next one. So each item passes through
/// memory, as in a ring. Four slots a turn leave little of the loop's own cost.
/// </remarks>
internal sealed class BodyAlone<TSlot>(RingLoad load, RoundThreads threads) : Transport<TSlot>(load, threads)
    where TSlot : unmanaged, ISlot<TSlot>
{
    private const string Name = "body-alone";
    private const string PerItem = "per-item";

    // They stay in the core's first cache.
    private const int SlotBytes = 8_192;

    private Feed _feed;

    /// <summary>The peer, for cases of one producer and one stage.</summary>
    public static Peer<TSlot> Peer { get; } = new(Name, static (load, threads) => new BodyAlone<TSlot>(load, threads))
    {
        Note = "no hand-over: what the other rows pay for their items being made and added up",
        Threads = static _ => 1,
        Further = static sample => [new Count(PerItem, "ns", sample.Seconds * 1e9 / sample.Operations)],
    };

    public override void AddProducer(int producer) => _feed = Load.FeedOf(producer);

    public override void AddStage<TWork>(int stage, TWork work)
    {
        Feed feed = _feed;
        var slots = new TSlot[SlotBytes / Unsafe.SizeOf<TSlot>()];
        Threads.Add(() => Run(slots, feed, Load.Operations, work).Report(Load, stage));
    }

    private static TWork Run<TWork>(Span<TSlot> slots, Feed feed, long items, TWork work)
        where TWork : struct, IStageWork<TSlot>
    {
        slots = slots[..(int)Math.Min(items, slots.Length)];
        foreach (ref TSlot slot in slots) Make(ref slot, ref feed);
        int end = 0;
        for (long left = items - slots.Length; left > 0; left -= end)
        {
            end = (int)Math.Min(left, slots.Length);
            Span<TSlot> lap = slots[..end];
            Span<Four> fours = MemoryMarshal.Cast<TSlot, Four>(lap);
            foreach (ref Four four in fours)
            {
                Pass(ref work, ref four[0], ref feed);
                Pass(ref work, ref four[1], ref feed);
                Pass(ref work, ref four[2], ref feed);
                Pass(ref work, ref four[3], ref feed);
            }

            foreach (ref TSlot slot in lap[(fours.Length * Four.Length)..]) Pass(ref work, ref slot, ref feed);
        }

        // The oldest item lies where the last lap ended.
        foreach (ref TSlot slot in slots[end..]) work.Take(ref slot);
        foreach (ref TSlot slot in slots[..end]) work.Take(ref slot);
        return work;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Pass<TWork>(ref TWork work, ref TSlot slot, ref Feed feed)
        where TWork : struct, IStageWork<TSlot>
    {
        work.Take(ref slot);
        Make(ref slot, ref feed);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Make(ref TSlot slot, ref Feed feed)
    {
        if (feed.MoveNext()) TSlot.Write(ref slot, feed.Current);
    }

    [InlineArray(Length)]
    private struct Four
    {
        public const int Length = 4;

        private TSlot _first;
    }
}
