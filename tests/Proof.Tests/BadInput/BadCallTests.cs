namespace Raceway.Proof.Tests.BadInput;

/// <summary>Wrong calls that no reflection can make: on claims, batches, payloads and opened producers, which live on the stack.</summary>
public sealed class BadCallTests
{
    private delegate void OnClaim(ref Claim<long> claim);

    private delegate void OnOpen(ref OpenProducer<long> open);

    private delegate void OnPayload(Payload payload);

    private static readonly int[] s_outside = [int.MinValue, -1, 3, 4, 8, int.MaxValue];

    private int _cases;

    [Fact]
    public void Claims_WrongCalls_AreRefusedAndHurtNobody()
    {
        foreach (ProducerKind kind in Enum.GetValues<ProducerKind>())
        {
            foreach (int index in s_outside)
            {
                OnClaimOf3<ArgumentOutOfRangeException>(kind, (ref Claim<long> claim) => claim[index] = 1, "index", index);
                if (index != 3) OnClaimOf3<ArgumentOutOfRangeException>(kind, (ref Claim<long> claim) => claim.Commit(index), "count", index);
            }

            OnClaimOf3<InvalidOperationException>(kind, static (ref Claim<long> claim) => Twice(ref claim, static (ref Claim<long> one) => one.Commit()));
            OnClaimOf3<InvalidOperationException>(kind, static (ref Claim<long> claim) => Twice(ref claim, static (ref Claim<long> one) => one.Abort()));
            OnClaimOf3<InvalidOperationException>(kind, static (ref Claim<long> claim) =>
            {
                claim.Dispose();
                claim.Commit();
            });
            foreach (int count in new[] { int.MinValue, -1, 0, 9, int.MaxValue })
            {
                Refused<ArgumentOutOfRangeException>(kind, world => world.Producer.TryClaim(count, out _), "count", count);
                Refused<ArgumentOutOfRangeException>(kind, world => world.Producer.TryClaim(count, TimeSpan.Zero, out _), "count", count);
                Refused<ArgumentOutOfRangeException>(kind, world => world.Producer.Claim(count), "count", count);
            }

            foreach (TimeSpan timeout in new[] { TimeSpan.MinValue, TimeSpan.FromTicks(-1), TimeSpan.FromDays(-3) })
                Refused<ArgumentOutOfRangeException>(kind, world => world.Producer.TryClaim(1, timeout, out _), "timeout", timeout);
            Refused<ArgumentNullException>(kind, static world => world.Producer.Publish<int>(1, null!), "write");
            Refused<ArgumentNullException>(kind, static world => world.Producer.TryPublish<int>(1, null!), "write");
            Refused<InvalidOperationException>(kind, static world => world.Producer.PublishPayload<int>([1], 1, static (ref long _, int _) => { }));
            Refused<InvalidOperationException>(kind, static world => world.Producer.TryPublishPayload<int>([1], 1, static (ref long _, int _) => { }));
            Refused<ObjectDisposedException>(kind, static world => Disposed(world).TryPublish(1));
            Refused<ObjectDisposedException>(kind, static world => Disposed(world).Publish(1));
            Refused<ObjectDisposedException>(kind, static world => Disposed(world).TryClaim(1, out _));
            Refused<ArgumentOutOfRangeException>(kind, static _ => default(Claim<long>).Slot = 1, "index", 0);
            Refused<InvalidOperationException>(kind, static _ => default(Claim<long>).Commit());
            Refused<InvalidOperationException>(kind, static _ => default(Claim<long>).Abort());
        }

        Tally.Add(Counted.BadInputs, _cases);
    }

    [Fact]
    public void Batches_WrongCalls_AreRefused()
    {
        foreach (int index in s_outside)
        {
            Refused<ArgumentOutOfRangeException>(ProducerKind.Single, _ => new Batch<long>(new long[3])[index] = 1, "index", index);
            if (index != 3)
                Refused<ArgumentOutOfRangeException>(ProducerKind.Single, _ => new Batch<long>(new long[3]).Complete(index), "count", index);
        }

        foreach (int index in new[] { int.MinValue, -1, 0, 1, int.MaxValue })
        {
            Refused<ArgumentOutOfRangeException>(ProducerKind.Single, _ => default(Batch<long>)[index] = 1, "index", index);
            Refused<ArgumentOutOfRangeException>(ProducerKind.Single, _ => default(AsyncBatch<long>)[index] = 1, "index", index);
        }

        Assert.True(default(Batch<long>).First.IsEmpty && default(Batch<long>).Second.IsEmpty);
        Refused<ObjectDisposedException>(ProducerKind.Single, static _ => default(AsyncBatch<long>).Complete(0));
        Refused<ObjectDisposedException>(ProducerKind.Single, static _ => Assert.Equal(0, default(AsyncBatch<long>).Depth));
        Tally.Add(Counted.BadInputs, _cases);
    }

    [Fact]
    public void OpenProducers_WrongCalls_AreRefusedAndHurtNobody()
    {
        foreach (int count in new[] { int.MinValue, -1, 0, 9, int.MaxValue })
            Opened<ArgumentOutOfRangeException>((ref OpenProducer<long> open) => open.Claim(count), "count", count);
        foreach (int count in new[] { int.MinValue, -1, 1, int.MaxValue })
            Opened<ArgumentOutOfRangeException>((ref OpenProducer<long> open) => open.Commit(count), "count", count);
        Refused<InvalidOperationException>(ProducerKind.Single, static world => InOpen(world, static single => single.Publish(1)));
        Refused<InvalidOperationException>(ProducerKind.Single, static world => InOpen(world, static single => single.Open()));
        Refused<InvalidOperationException>(ProducerKind.Single, static world => InOpen(world, static single => single.TryPublish(1)));
        Refused<ObjectDisposedException>(ProducerKind.Single, static world => ((SingleProducer<long>)Disposed(world)).Open());
        Tally.Add(Counted.BadInputs, _cases);
    }

    [Fact]
    public void Payloads_WrongCalls_AreRefused()
    {
        foreach (int length in new[] { int.MinValue, -1, 17, int.MaxValue })
            Lent<ArgumentOutOfRangeException>(payload => payload.Reserve(length), 17, "length", length);
        Lent<ArgumentOutOfRangeException>(static payload => payload.Write(new byte[17]), 17, "length", 17);
        Lent<ObjectDisposedException>(static payload => _ = payload.Span.Length, 0);
        Lent<ObjectDisposedException>(static payload => _ = payload.Memory.Length, 0);
        Lent<ObjectDisposedException>(static payload => _ = payload.Length, 0);
        Lent<ObjectDisposedException>(static payload => payload.Retain(), 0);
        Lent<ObjectDisposedException>(static payload => payload.Reserve(1), 0);
        Refused<InvalidOperationException>(ProducerKind.Single, static _ => default(Payload).Reserve(0));
        Refused<InvalidOperationException>(ProducerKind.Single, static _ => default(Payload).Write([1]));
        Refused<InvalidOperationException>(ProducerKind.Single, static _ => default(Payload).Retain());
        Tally.Add(Counted.BadInputs, _cases);
    }

    private static void Twice(ref Claim<long> claim, OnClaim call)
    {
        call(ref claim);
        call(ref claim);
    }

    private static Producer<long> Disposed(World world)
    {
        world.Producer.Dispose();
        return world.Producer;
    }

    private static void InOpen(World world, Action<SingleProducer<long>> call)
    {
        var single = (SingleProducer<long>)world.Producer;
        using OpenProducer<long> open = single.Open();
        call(single);
    }

    private void Opened<TFault>(OnOpen call, string names, object value)
        where TFault : Exception =>
        Refused<TFault>(
            ProducerKind.Single,
            world =>
            {
                OpenProducer<long> open = ((SingleProducer<long>)world.Producer).Open();
                try
                {
                    call(ref open);
                }
                finally
                {
                    open.Dispose();
                }
            },
            names, value);

    private void OnClaimOf3<TFault>(ProducerKind kind, OnClaim call, string? names = null, object? value = null)
        where TFault : Exception =>
        Refused<TFault>(
            kind,
            world =>
            {
                Claim<long> claim = world.Producer.Claim(3);
                try
                {
                    call(ref claim);
                }
                finally
                {
                    claim.Dispose();
                }
            },
            names, value);

    // A payload while it may be written, where a length is given; else one whose slot has been released.
    private void Lent<TFault>(OnPayload call, int length, string? names = null, object? value = null)
        where TFault : Exception
    {
        _cases++;
        var ring = new RingBuffer<Parcel>(2, new RingOptions<Parcel>
        {
            Payload = static (ref Parcel parcel) => ref parcel.Payload, PayloadOptions = new PayloadOptions { MaxLength = 16 },
        });
        Stage stage = ring.Subscribe(static (ref Parcel _) => { }, Make.Stepped());
        SingleProducer<Parcel> producer = ring.CreateProducer();
        using Claim<Parcel> claim = producer.Claim();
        Payload payload = claim.Slot.Payload;
        if (length == 0)
        {
            claim.Commit();
            Make.StepAll(stage);
        }

        Check<TFault>(Record.Exception(() => call(payload)), names, value);
    }

    private void Refused<TFault>(ProducerKind kind, Action<World> call, string? names = null, object? value = null)
        where TFault : Exception
    {
        _cases++;
        var world = new World(kind);
        Check<TFault>(Record.Exception(() => call(world)), names, value);
        world.StillWorks();
    }

    private static void Check<TFault>(Exception? fault, string? names, object? value)
        where TFault : Exception
    {
        Assert.True(fault is TFault, $"{typeof(TFault).Name} expected: {fault}");
        if (names is not null) Assert.Equal(names, ((ArgumentException)fault).ParamName);
        if (value is not null) Assert.Contains(value.ToString()!, fault.Message, StringComparison.Ordinal);
    }
}
