using Raceway.Explorer.Engine;
using Raceway.Explorer.Modelled;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>What is refused, and by which words.</summary>
internal static class MisuseBodies
{
    public static IEnumerable<Body> All
    {
        get
        {
            yield return WalkBodies.Walk("walk/refused-rings", Rings);
            yield return WalkBodies.Walk("walk/refused-options", Options);
            yield return WalkBodies.Walk("walk/refused-calls", Calls);
            yield return WalkBodies.Walk("walk/refused-payloads", Payloads);
            yield return new Body("walk/refused-threads", SecondThread) { Modes = [MemoryMode.Sequential] };
        }
    }

    private static void Rings()
    {
        Refused("Use 4", () => Parts.Ring(3));
        Refused("Use 2", () => Parts.Ring(0));
        Refused("Use 1073741824", () => Parts.Ring(int.MaxValue));
        Refused("sequence space", () => Parts.Ring(start: -1));
        Refused("a slot for each producer", () => With(2, new() { Producers = ProducerKind.Multi, MaxProducers = 4 }));
        Refused("two slots a producer", () => With(4, new() { Producers = ProducerKind.Sharded, MaxProducers = 4 }));
        Refused("16777216", () => With(1 << 25, new() { Producers = ProducerKind.Sharded, MaxProducers = 2 }));
        Refused("no stamps", () => With(8, new() { Producers = ProducerKind.Sharded, MaxProducers = 2, Stamps = StampLayout.InSlot }));
        Refused("None, Line or LinePair", () => With(8, new() { Padding = (CellPadding)7 }));
        Refused("Separate, Padded or InSlot", () => With(8, new() { Stamps = (StampLayout)7 }));
        Refused("not be negative", () => With(8, new() { DrainTimeout = TimeSpan.FromSeconds(-3) }));
        Refused("times a power of two", () => With(8, new() { SlotStride = 24 }));
        Refused("Stamps in the slots need", () => With(8, new() { Stamps = StampLayout.InSlot }));
        Refused("fit an array", () => With(1 << 30, new() { SlotStride = 64 }));
        Refused("no references", () => _ = new RingBuffer<string>(8, new RingOptions<string> { SlotStride = 64 }));
    }

    private static void Options()
    {
        Refused("must not exceed its maximum", () => Dispatch.Batch(max: 1, min: 2));
        Refused("above zero", () => Dispatch.Batch(maxAge: TimeSpan.Zero));
        Refused("something else than a retry", () => FaultPolicy.Retry(1, default, FaultPolicy.Retry(1, default)));
        Refused("at least 1 ms", () => Wait.TimedPark(TimeSpan.Zero));
        Subscribing("at most half the capacity", new StageOptions { Dispatch = Dispatch.Batch(min: 3) });
        Subscribing("needs a processor", new StageOptions { Processors = [] });
        Subscribing("between 0 and", new StageOptions { Processors = [-1] });
        Subscribing("above zero", new StageOptions { IdleTimeout = TimeSpan.Zero });
        Subscribing("take the stage's item type", new StageOptions { OnFault = FaultPolicy.DeadLetter((ref long _, in FaultContext _) => { }) });
        RingBuffer<Item> ring = Parts.Ring(4);
        RingBuffer<Item> other = Parts.Ring(4);
        Stage first = ring.Subscribe(new Reader(new Log()), Parts.Stepped(name: "first"));
        Refused("unique", () => ring.Subscribe(new Reader(new Log()), Parts.Stepped(name: "first")));
        Refused("belong to the same ring", () => other.Subscribe(new Reader(new Log()), Parts.Stepped(after: first)));
        Refused("Only a stage of this ring", () => other.DetachAsync(first).Wait());
        Refused("column of the same ring", () => ring.Slots.Subscribe(new Nothing(), other.AddColumn<Item>()));
        ring.Subscribe(new Reader(new Log()), Parts.Stepped(after: first));
        Refused("others follow", () => ring.DetachAsync(first).Wait());
        Refused("max", () => first.Step(0));
    }

    private static void Calls()
    {
        RingBuffer<Item> ring = Parts.Ring(4);
        Stage stage = ring.Subscribe(new Reader(new Log()), Parts.Stepped());
        ring.Start();
        Refused("starts once", ring.Start);
        SingleProducer<Item> producer = ring.CreateProducer();
        Refused("one producer at a time", () => ring.CreateProducer());
        Refused("Producers of this ring are single ones", () => ring.CreateMultiProducer());
        Refused("1 to 4 slots", () => producer.Claim(5));
        Refused("not be negative", () => producer.TryClaim(1, TimeSpan.FromSeconds(-3), out _));
        Refused("not be negative", () => ring.DrainAsync(TimeSpan.FromSeconds(-3)).Wait());
        Claim<Item> claim = producer.Claim();
        Refused("open claim", () => producer.Publish(new Item()));
        claim.Commit();
        Refused("once", ref claim, static (ref Claim<Item> settled) => settled.Commit());
        producer.Dispose();
        Refused("disposed", () => producer.Claim());
        Refused("inside the batch", static () => _ = new Batch<Item>(new Item[2])[2]);
        Refused("between 0 and the size", static () => new Batch<Item>(new Item[2]).Complete(3));
        SingleProducer<Item> second = ring.CreateProducer();
        ring.Complete();
        Refused("Attach before", () => ring.Subscribe(new Reader(new Log())));
        Refused("draining or has stopped", () => second.Publish(new Item()));
        ring.Fail(new NotSupportedException("this"), stage);
        Refused("this", () => second.Publish(new Item()));
        RingBuffer<Item> multi = Parts.Ring(4, ProducerKind.Multi, maxProducers: 1);
        Refused("several producers", () => multi.CreateProducer());
        using MultiProducer<Item> only = multi.CreateMultiProducer();
        Refused("sized for", () => multi.CreateMultiProducer());
        RingBuffer<Item> last = Parts.Ring(4, start: long.MaxValue - 8);
        SingleProducer<Item> late = last.CreateProducer();
        Refused("used up", () =>
        {
            for (int n = 0; n < 8; n++) late.Publish(new Item());
        });
        RingBuffer<Item> apart = Parts.Ring(4, slotStride: 64);
        Refused("no span", () => _ = apart.CreateProducer().Claim(2).First);
    }

    private static void Payloads()
    {
        RingBuffer<Item> none = Parts.Ring(4);
        Refused("no payloads", () => none.CreateProducer().PublishPayload([1], 0, static (ref Item _, int _) => { }));
        Refused("no payloads", static () => default(Payload).Retain());
        Refused("no payloads", static () => default(Payload).Write([1]));
        World.Check(default(Payload) is { Length: 0, IsReleased: true, Memory.Length: 0, Span.Length: 0 }, "an empty payload");
        Refused(
            "no pooled payloads",
            () => _ = new RingBuffer<Held>(8, new RingOptions<Held> { Producers = ProducerKind.Sharded, MaxProducers = 2, Payload = Held.Place }));
        var ring = new RingBuffer<Held>(
            4, new RingOptions<Held> { Payload = Held.Place, PayloadOptions = new PayloadOptions { MaxLength = 4, KeepLength = 4, ClearOnReturn = true } });
        Payload kept = default;
        RetainedPayload? retained = null;
        Stage stage = ring.Subscribe(
            (ref Held item) =>
            {
                kept = item.Body;
                World.Equal(2, kept.Memory.Length, "bytes");
                retained = kept.Retain();
            },
            Parts.Stepped());
        ring.Start();
        SingleProducer<Held> producer = ring.CreateProducer();
        Refused("fit the ring's maximum", () => producer.PublishPayload([1, 2, 3, 4, 5], 0, static (ref Held _, int _) => { }));
        World.Equal(ClaimStatus.TooLarge, producer.TryPublishPayload([1, 2, 3, 4, 5], 0, static (ref Held _, int _) => { }), "a try");
        World.Equal(ClaimStatus.Done, producer.TryPublishPayload([1, 2], 0, static (ref Held _, int _) => { }), "a try");
        stage.Step();
        World.Equal(2, retained!.Memory.Length, "bytes kept");
        retained.Dispose();
        Refused("given back already", retained.Dispose);
        Refused("disposed", () => _ = retained.Memory);
        Refused("released by the last stage", () => _ = kept.Length);
    }

    // A thread of its own for each: with checks on, a producer knows whose it is.
    private static void SecondThread(World world)
    {
        foreach (ProducerKind kind in new[] { ProducerKind.Single, ProducerKind.Multi })
        {
            RingBuffer<Item> ring = With(8, new() { Producers = kind, MaxProducers = 2, CheckProducer = true });
            Producer<Item> producer = Parts.Producer(ring);
            int used = 0;
            int refused = 0;
            for (int i = 0; i < 2; i++)
            {
                int turn = i;
                world.Thread("user", () =>
                {
                    World.Until(() => used >= turn, "for its turn");
                    try
                    {
                        producer.Publish(new Item());
                    }
                    catch (InvalidOperationException)
                    {
                        refused++;
                    }

                    used++;
                });
            }

            world.AtEnd(() => World.Equal(1, refused, "refusals"));
        }
    }

    private static RingBuffer<Item> With(int capacity, RingOptions<Item> options) => new(capacity, options);

    private static void Subscribing(string text, StageOptions options) =>
        Refused(text, () => Parts.Ring(4).Subscribe(new Reader(new Log()), options));

    private static void Refused(string text, Action call)
    {
        int nothing = 0;
        Refused(text, ref nothing, (ref int _) => call());
    }

    private delegate void Call<T>(ref T on)
        where T : allows ref struct;

    private static void Refused<T>(string text, ref T on, Call<T> call)
        where T : allows ref struct
    {
        try
        {
            call(ref on);
        }
        catch (Exception refusal) when (refusal is not ExecutionOver)
        {
            World.Check(refusal.Message.Contains(text, StringComparison.Ordinal), $"'{refusal.Message}' does not say '{text}'");
            return;
        }

        World.Check(false, $"not refused: {text}");
    }

    private struct Held
    {
        public Payload Body;

        public static ref Payload Place(ref Held item) => ref item.Body;
    }

    private sealed class Nothing : IMapHandler<Item, Item>
    {
        public void OnBatch(Batch<Item> source, Batch<Item> results)
        {
        }
    }
}
