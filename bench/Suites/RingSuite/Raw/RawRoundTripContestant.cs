using System.Runtime.CompilerServices;

namespace Raceway.Suites.RingSuite;

/// <summary>
/// Hand-written ping-pong: one cache line each way, holding the message and the number that announces it.
/// </summary>
internal sealed class RawRoundTripContestant(RingShape shape) : RingContestant("raw", shape)
{
    // Polled without a pause, which would only add to the latency; a processor shared with the partner is given up.
    private const int Patience = 20_000;
    private const int There = 0;
    private const int Back = 32;

    protected override void Prepare(RingLoad load, RoundThreads roundThreads)
    {
        var lines = new AlignedBlock<long>(2 * Back);
        Feed feed = load.FeedOf();
        roundThreads.Add(() => Ask(lines, feed, load, roundThreads.Cancellation));
        roundThreads.Add(() => Answer(lines, load, roundThreads.Cancellation));
    }

    private static void Ask(AlignedBlock<long> lines, Feed feed, RingLoad load, CancellationToken cancellation)
    {
        Check check = load.NewCheck();
        load.StartLaps();
        for (long number = 1; feed.MoveNext(); number++)
        {
            Send(ref lines[There], number, feed.Current);
            check.Take(Receive(ref lines[Back], number, cancellation));
            load.Lap();
        }

        load.Report(check);
    }

    private static void Answer(AlignedBlock<long> lines, RingLoad load, CancellationToken cancellation)
    {
        for (long number = 1; number <= load.Operations; number++)
        {
            long item = Receive(ref lines[There], number, cancellation);
            Body.Work(ref item, load.Shape.Increments);
            Send(ref lines[Back], number, item);
        }
    }

    // The message follows its number in the same line: one transfer brings both.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static void Send(ref long line, long number, long item)
    {
        Unsafe.Add(ref line, 1) = item;
        Volatile.Write(ref line, number);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static long Receive(ref long line, long number, CancellationToken cancellation)
    {
        int polls = 0;
        while (Volatile.Read(ref line) != number)
        {
            if (++polls < Patience) continue;
            cancellation.ThrowIfCancellationRequested();
            Thread.Yield();
        }

        return Unsafe.Add(ref line, 1);
    }
}
