using System.Runtime.CompilerServices;

namespace Raceway.Suites.RingSuite;

/// <summary>What one writes by hand for one case alone: the floor of each.</summary>
internal static class RawPeers
{
    private const string Name = "raw";

    /// <summary>One producer and one consumer that polls without a pause.</summary>
    public static Peer<Number> Polling { get; } = new(Name, static (load, threads) => new RawPolling(load, threads));

    /// <summary>The ring that a shape needs, and no more.</summary>
    public static Peer<TSlot> For<TSlot>(RingShape shape)
        where TSlot : unmanaged, ISlot<TSlot> =>
        shape.MultiProducer ? new(Name, static (load, threads) => new RawMulti<TSlot>(load, threads))
        : shape.Stages > 1 ? new(Name, static (load, threads) => new RawStages<TSlot>(load, threads))
        : new(Name, static (load, threads) => new RawSingle<TSlot>(load, threads));

    /// <summary>The measuring body, where one thread can be the producer and the only stage.</summary>
    public static IEnumerable<Peer<TSlot>> BodyOf<TSlot>(RingShape shape)
        where TSlot : unmanaged, ISlot<TSlot> =>
        shape is { Producers: 1, Stages: 1 } ? [BodyAlone<TSlot>.Peer] : [];

    /// <summary>There and back: one cache line each way, holding the message and the number that announces it.</summary>
    public static RoundTripContestant RoundTrip(RingShape shape) => new(Name, shape, static (load, threads) =>
    {
        var lines = new AlignedBlock<long>(2 * End.Line);
        threads.Add(() => Trip.Ask(new End(lines, to: 0, from: End.Line, threads.Cancellation), load));
        threads.Add(() => Trip.Answer(new End(lines, to: End.Line, from: 0, threads.Cancellation), load));
    });

    private struct End(AlignedBlock<long> lines, int to, int from, CancellationToken cancellation) : IEnd
    {
        /// <summary>Numbers from one line to the other.</summary>
        public const int Line = 32;

        // Polled without a pause, which would only add to the latency; a processor shared with the partner is given up.
        private const int Patience = 20_000;

        private long _sent;
        private long _received;

        // The message follows its number in the same line: one transfer brings both.
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public void Send(long item)
        {
            ref long line = ref lines[to];
            Unsafe.Add(ref line, 1) = item;
            Volatile.Write(ref line, ++_sent);
        }

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public long Receive()
        {
            ref long line = ref lines[from];
            long number = ++_received;
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
}
