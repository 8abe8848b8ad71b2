using System.Runtime.CompilerServices;

namespace Raceway.Proof.Tests.Litmus;

/// <summary>A ring that ends while somebody publishes: each meets a new one.</summary>
internal sealed class EndingState
{
    // Takes a while to stamp.
    private const int Several = 400;

    private readonly RingBuffer<long> _ring;
    private readonly Producer<long> _producer;
    private long _claimed;
    private bool _done;
    private long _seen;
    private int _handled;
    private Stage? _staying;
    private Stage? _leaving;

    private EndingState(ProducerKind kind, int capacity = 16, StampLayout stamps = StampLayout.Separate)
    {
        _ring = new RingBuffer<long>(capacity, new RingOptions<long>
        {
            Producers = kind, MaxProducers = 2, Padding = CellPadding.Line, Stamps = stamps,
            SlotStride = stamps == StampLayout.InSlot ? 16 : 0,
        });
        _producer = kind == ProducerKind.Multi ? _ring.CreateMultiProducer() : _ring.CreateProducer();
    }

    public static IEnumerable<LitmusTest> All =>
    [
        Claiming("claim against complete, one producer", ProducerKind.Single, Claim),
        Claiming("claim against complete, several producers", ProducerKind.Multi, Claim),
        Claiming("claim against complete, lanes", ProducerKind.Sharded, Claim),
        Claiming("open claim against complete", ProducerKind.Single, ClaimOpen),
        Sealing("publish against the seal, one producer", 1, () => new EndingState(ProducerKind.Single)),
        Sealing("publish against the seal, stamps in the slots", 1, () => new EndingState(ProducerKind.Single, stamps: StampLayout.InSlot)),
        Sealing("publish against the seal, several producers", 1, () => new EndingState(ProducerKind.Multi)),
        Sealing("publish against the seal, lanes", 1, () => new EndingState(ProducerKind.Sharded)),
        Sealing("commit of several against the seal, one producer", Several, () => new EndingState(ProducerKind.Single, 1024)),
        Sealing("commit of several against the seal, lanes", Several, () => new EndingState(ProducerKind.Sharded, 1024)),
        Sealing("commit of several against the seal, several producers", Several, () => new EndingState(ProducerKind.Multi, 1024)),
        Sealing(
            "commit of several against the seal, stamps in the slots", Several,
            () => new EndingState(ProducerKind.Single, 1024, StampLayout.InSlot)),
        new LitmusTest<EndingState>(
            "publishing against a stage that leaves", 5_000, CreateLeaving, null,
            [
                static state =>
                {
                    for (int i = 0; i < 16; i++)
                    {
                        if (state._producer.TryPublish(i) == ClaimStatus.Done) state._claimed++;
                        state._staying!.Step();
                    }
                },
                static state => state._ring.DetachAsync(state._leaving!).GetAwaiter().GetResult(),
            ],
            static state =>
            {
                state._staying!.Step();
                bool all = state._handled == state._claimed && state._claimed == 16;
                // Nobody holds its slots any more.
                for (int i = 0; i < 16; i++) all &= state._producer.TryPublish(i) == ClaimStatus.Done;
                return all && state._producer.TryPublish(0) == ClaimStatus.Full ? 1 : 0;
            },
            new(1, Verdict.Acceptable, "all handled, and room afterwards"), new(0, Verdict.Forbidden, "lost, or held back")),
    ];

    private static EndingState CreateLeaving()
    {
        var state = new EndingState(ProducerKind.Single);
        var stepped = new StageOptions { Drive = Drive.Caller };
        state._staying = state._ring.Subscribe((ref long _) => state._handled++, stepped);
        state._leaving = state._ring.Subscribe(static (ref long _) => { }, stepped);
        return state;
    }

    // Whoever closes the ring counts the claim, or the claim is refused.
    private static LitmusTest<EndingState> Claiming(string name, ProducerKind kind, Action<EndingState> claim) => new(
        name, 15_000, () => new EndingState(kind), null,
        [
            claim,
            static state =>
            {
                state._ring.Complete();
                state._seen = state._ring.Claims.ClaimedThrough;
            },
        ],
        static state => (state._done ? 10 : 0) + (state._seen >= 0 ? 1 : 0),
        new(11, Verdict.Acceptable, "claimed and counted"), new(00, Verdict.Acceptable, "refused"),
        new(01, Verdict.Acceptable, "refused, and counted for the moment or as a tombstone"),
        new(10, Verdict.Forbidden, "claimed, and the drain does not know"));

    private static void Claim(EndingState state) => state._done = state._producer.TryClaim(1, out _) == ClaimStatus.Done;

    private static void ClaimOpen(EndingState state)
    {
        OpenProducer<long> open = ((SingleProducer<long>)state._producer).Open();
        try
        {
            open.Claim() = 1;
            // Published, as an open claim that is left would be taken back.
            open.Commit();
            state._done = true;
        }
        catch (RingStoppedException)
        {
        }
    }

    // What was accepted is in time, for a stage or for the count of what is left; what was refused is not.
    private static LitmusTest<EndingState> Sealing(
        string name, int count, Func<EndingState> create, Verdict parts = Verdict.Forbidden) => new(
        name, 15_000,
        () =>
        {
            EndingState state = create();
            if (state._producer.TryClaim(count, out Claim<long> claim) != ClaimStatus.Done) throw new InvalidOperationException();
            state._claimed = claim.Sequence;
            return state;
        },
        null,
        [
            state =>
            {
                try
                {
                    state._producer.Claimer.Settle(state._claimed, count, count);
                    state._done = true;
                }
                catch (RingStoppedException)
                {
                }
            },
            static state => state._seen = state._ring.Seal() + 1 + BehindHoles(state._ring).Length,
        ],
        state => (state._done ? 10 : 0) + (state._seen == 0 ? 0 : state._seen == count ? 1 : 2),
        new(11, Verdict.Acceptable, "accepted and counted"), new(00, Verdict.Acceptable, "refused and late"),
        new(10, Verdict.Forbidden, "accepted, and nobody counts it"), new(01, parts, "refused, and counted"),
        new(02, parts, "refused, and a part of it counted"), new(12, parts, "accepted, and a part of it lost"));

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_behindHoles")]
    private static extern ref long[] BehindHoles(Ring ring);
}
