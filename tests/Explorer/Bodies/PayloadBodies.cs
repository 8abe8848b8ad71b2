using Raceway.Explorer.Engine;
using Raceway.Explorer.Modelled;
using Raceway.Rings;

namespace Raceway.Explorer.Bodies;

/// <summary>Buffers of payloads: back exactly once however the ring ends, and never while somebody uses them.</summary>
internal static class PayloadBodies
{
    private static readonly SlotWriter<Parcel, long> s_number = static (ref Parcel slot, long number) => slot.Number = number;

    public static IEnumerable<Body> All
    {
        get
        {
            yield return new Body("payload/wraps", world => Publish(world, ProducerKind.Single, 1, 4));
            yield return new Body("payload/two-producers", world => Publish(world, ProducerKind.Multi, 2, 3));
            yield return new Body("payload/retain-against-sweep", world => RetainAgainstSweep(world, keep: 64)) { Weight = 6 };
            yield return new Body("payload/retain-against-release", world => RetainAgainstSweep(world, keep: 1));
            yield return new Body("payload/retain-in-handler", RetainInHandler);
            yield return new Body("payload/halt-claim-committed", world => HaltClaim(world, ProducerKind.Single, commit: true));
            yield return new Body("payload/halt-claim-aborted", world => HaltClaim(world, ProducerKind.Single, commit: false));
            yield return new Body("payload/halt-claim-multi", world => HaltClaim(world, ProducerKind.Multi, commit: true));
            yield return new Body("payload/halt-abort-multi", world => HaltClaim(world, ProducerKind.Multi, commit: false));
            yield return new Body("payload/halt-lent-ahead", world => HaltOpen(world, first: 1));
            yield return new Body("payload/halt-smaller-claim", world => HaltOpen(world, first: 2));
            yield return new Body("payload/retained-given-back-twice", GivenBackTwice);
            yield return new Body("payload/references-cleared", Cleared);
            yield return new Body("payload/references-cleared-multi", ClearedMulti);
        }
    }

    private static void Publish(World world, ProducerKind kind, int producers, int each)
    {
        var pool = new CheckingPool();
        RingBuffer<Parcel> ring = Open(pool, kind);
        var reader = new ParcelReader();
        Stage stage = ring.Subscribe(reader, Stepped);
        ring.Start();
        for (int p = 0; p < producers; p++)
        {
            Producer<Parcel> producer = Producer(ring);
            int own = p * 100;
            world.Thread($"producer {p}", () =>
            {
                for (int n = 0; n < each; n++) Put(producer, own + n);
            });
        }

        world.Thread("stage", () =>
        {
            while (reader.Count < producers * each)
                if (stage.Step().Kind != StepKind.Progressed) Modelled.Thread.SpinWait(1);
            ring.HaltAsync().Wait();
        });
        world.AtEnd(pool.IsEmpty);
    }

    // Somebody has kept the lease beyond the handler: the bytes are kept whole, or he is told that they are gone.
    private static void RetainAgainstSweep(World world, int keep)
    {
        var pool = new CheckingPool();
        RingBuffer<Parcel> ring = Open(pool, ProducerKind.Single, keep);
        Payload lease = default;
        bool leased = false;
        var reader = new ParcelReader(payload => (lease, leased) = (payload, true), most: 1);
        Stage stage = ring.Subscribe(reader, Stepped);
        ring.Start();
        Producer<Parcel> producer = Producer(ring);
        Put(producer, 0);
        Put(producer, 1);
        bool retainerDone = false;
        world.Thread("stage", () =>
        {
            stage.Step(1);
            // Makes room, and fills the slot again.
            Put(producer, 2);
            while (stage.Step().Kind == StepKind.Progressed)
            {
            }

            World.Until(() => retainerDone, "for the retainer");
            ring.HaltAsync().Wait();
        });
        world.Thread("retainer", () =>
        {
            World.Until(() => leased, "for a lease");
            try
            {
                using RetainedPayload retained = lease.Retain();
                CheckBytes(retained.Memory.Span, 0);
                World.Until(static () => true, "a moment");
                CheckBytes(retained.Memory.Span, 0);
            }
            catch (ObjectDisposedException)
            {
                World.Check(lease.IsReleased, "refused while it was live");
            }

            retainerDone = true;
        });
        world.AtEnd(pool.IsEmpty);
    }

    private static void RetainInHandler(World world)
    {
        var pool = new CheckingPool();
        RingBuffer<Parcel> ring = Open(pool, ProducerKind.Single);
        var kept = new Queue<RetainedPayload>();
        var reader = new ParcelReader(payload => kept.Enqueue(payload.Retain()));
        Stage stage = ring.Subscribe(reader, Stepped);
        ring.Start();
        Producer<Parcel> producer = Producer(ring);
        world.Thread("producer", () =>
        {
            for (int n = 0; n < 3; n++) Put(producer, n);
        });
        world.Thread("stage", () =>
        {
            while (reader.Count < 3)
                if (stage.Step().Kind != StepKind.Progressed) Modelled.Thread.SpinWait(1);
            ring.HaltAsync().Wait();
        });
        world.Thread("keeper", () =>
        {
            for (int n = 0; n < 3; n++)
            {
                World.Until(() => kept.Count > 0, "for something kept");
                using RetainedPayload payload = kept.Dequeue();
                CheckBytes(payload.Memory.Span, n);
            }
        });
        world.AtEnd(pool.IsEmpty);
    }

    private static void HaltClaim(World world, ProducerKind kind, bool commit)
    {
        var pool = new CheckingPool();
        RingBuffer<Parcel> ring = Open(pool, kind);
        Stage stage = ring.Subscribe(new ParcelReader(), Stepped);
        ring.Start();
        Producer<Parcel> producer = Producer(ring);
        Put(producer, 0);
        world.Thread("producer", () =>
        {
            try
            {
                using Claim<Parcel> claim = producer.Claim();
                claim.Slot.Body.Write([1, 1, 1, 1]);
                World.Until(static () => true, "a moment");
                CheckBytes(claim.Slot.Body.Span, 1);
                claim.Slot.Number = 1;
                if (commit) claim.Commit();
            }
            catch (InvalidOperationException)
            {
                // Refused, or too late.
            }
        });
        world.Thread("closer", () =>
        {
            stage.Step();
            ring.HaltAsync().Wait();
        });
        world.AtEnd(pool.IsEmpty);
    }

    // The ring may end before, between and behind two claims. One slot: the other is lent ahead. Two: they are given up by the second
    // claim, which has one.
    private static void HaltOpen(World world, int first)
    {
        var pool = new CheckingPool();
        RingBuffer<Parcel> ring = Open(pool, ProducerKind.Single);
        Stage stage = ring.Subscribe(new ParcelReader(), Stepped);
        ring.Start();
        SingleProducer<Parcel> producer = ring.CreateProducer();
        Put(producer, 0);
        Put(producer, 1);
        while (stage.Step().Kind == StepKind.Progressed)
        {
        }

        world.Thread("producer", () =>
        {
            try
            {
                using OpenProducer<Parcel> open = producer.Open();
                for (byte n = 2; n < 4; n++)
                {
                    foreach (ref Parcel slot in open.Claim(n == 2 ? first : 1))
                    {
                        slot.Body.Write([n, n, n, n]);
                        CheckBytes(slot.Body.Span, n);
                        slot.Number = n;
                    }

                    if (first == 1 || n == 3) open.Commit();
                }
            }
            catch (InvalidOperationException)
            {
                // Refused, or too late.
            }
        });
        world.Thread("closer", () => ring.HaltAsync().Wait());
        world.AtEnd(pool.IsEmpty);
    }

    private static void GivenBackTwice(World world)
    {
        var pool = new CheckingPool();
        RingBuffer<Parcel> ring = Open(pool, ProducerKind.Single);
        RetainedPayload? kept = null;
        Stage stage = ring.Subscribe(new ParcelReader(payload => kept = payload.Retain()), Stepped);
        ring.Start();
        Put(Producer(ring), 0);
        stage.Step();
        int refused = 0;
        for (int i = 0; i < 2; i++)
        {
            world.Thread("holder", () =>
            {
                try
                {
                    kept!.Dispose();
                }
                catch (ObjectDisposedException)
                {
                    refused++;
                }
            });
        }

        world.Thread("closer", () => ring.HaltAsync().Wait());
        world.AtEnd(() =>
        {
            World.Equal(1, refused, "times it was refused");
            pool.IsEmpty();
        });
    }

    // What nobody may see any more is cleared, and nothing else.
    private static void Cleared(World world) => ClearedBy(world, ProducerKind.Single, 1, 4);

    private static void ClearedMulti(World world) => ClearedBy(world, ProducerKind.Multi, 2, 3);

    private static void ClearedBy(World world, ProducerKind kind, int producers, int each)
    {
        var ring = new RingBuffer<string?>(2, new RingOptions<string?>
        {
            Producers = kind,
            MaxProducers = 2,
            Wait = Wait.Park(),
            ProducerWait = Wait.Park(),
            CheckProducer = false,
        });
        int seen = 0;
        Stage stage = ring.Subscribe(
            (ref string? item) =>
            {
                World.Check(item is not null, "cleared before it was handled");
                World.Until(static () => true, "a moment");
                World.Check(item is not null, "cleared while it was handled");
                seen++;
            },
            Stepped);
        ring.Start();
        for (int p = 0; p < producers; p++)
        {
            Producer<string?> producer = kind == ProducerKind.Multi ? ring.CreateMultiProducer() : ring.CreateProducer();
            world.Thread($"producer {p}", () =>
            {
                for (int n = 0; n < each; n++) producer.Publish("item");
            });
        }

        world.Thread("stage", () =>
        {
            while (seen < producers * each)
                if (stage.Step(1).Kind != StepKind.Progressed) Modelled.Thread.SpinWait(1);
            // Idle now: the time to clear what is left.
            stage.Step();
        });
        world.AtEnd(() =>
        {
            for (int i = 0; i < 2; i++) World.Check(ring.Slots[i] is null, "a released slot keeps its item alive");
        });
    }

    private static StageOptions Stepped => Parts.Stepped();

    private static RingBuffer<Parcel> Open(CheckingPool pool, ProducerKind kind, int keep = 64) =>
        new(2, new RingOptions<Parcel>
        {
            Producers = kind,
            MaxProducers = 2,
            Wait = Wait.Park(),
            ProducerWait = Wait.Park(),
            CheckProducer = false,
            Payload = static (ref Parcel slot) => ref slot.Body,
            PayloadOptions = new PayloadOptions { Pool = pool, MaxLength = 16, KeepLength = keep },
        });

    private static Producer<Parcel> Producer(RingBuffer<Parcel> ring) =>
        ring.CreateAnyProducer();

    private static void Put(Producer<Parcel> producer, long number)
    {
        byte each = (byte)number;
        producer.PublishPayload([each, each, each, each], number, s_number);
    }

    private static void CheckBytes(ReadOnlySpan<byte> bytes, long number)
    {
        World.Equal(4, bytes.Length, $"bytes of {number}");
        foreach (byte one in bytes) World.Equal((byte)number, one, $"a byte of {number}");
    }

    private struct Parcel
    {
        public long Number;
        public Payload Body;
    }

    private sealed class ParcelReader(Action<Payload>? then = null, int most = int.MaxValue) : IBatchHandler<Parcel>
    {
        public int Count { get; private set; }

        public void OnBatch(Batch<Parcel> batch)
        {
            foreach (ref Parcel parcel in batch)
            {
                CheckBytes(parcel.Body.Span, parcel.Number);
                if (Count < most) then?.Invoke(parcel.Body);
                World.Until(static () => true, "a moment");
                CheckBytes(parcel.Body.Span, parcel.Number);
                Count++;
            }
        }
    }
}
