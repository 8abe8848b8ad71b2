namespace Raceway.Proof.Tests.Properties;

/// <summary>A ring and its model: each command is done to both, and what they say is compared.</summary>
internal sealed partial class RingUnderTest
{
    private sealed record Handle(Producer<long> Producer, ProducerModel Model);

    private sealed record OpenClaim(Handle Owner, long First, long[] Items);

    private sealed class WriterFault : Exception;

    private readonly Setting _setting;
    private readonly RingBuffer<long> _ring;
    private readonly RingModel _model;
    private readonly List<Handle> _handles = [];
    private readonly List<OpenClaim> _claims = [];
    private readonly List<long> _unprocessed = [];
    private readonly Action<string>? _say;
    private long _nextItem;

    public RingUnderTest(Setting setting, Action<string>? say)
    {
        _setting = setting;
        _say = say;
        _model = new RingModel(setting);
        _ring = new RingBuffer<long>(setting.Capacity, new RingOptions<long>
        {
            Producers = setting.Kind,
            MaxProducers = setting.Producers,
            Stamps = setting.Stamps,
            SlotStride = setting.Stamps == StampLayout.InSlot ? 64 : 0,
            StartSequence = setting.Start,
            CheckProducer = setting.Checked,
            DrainTimeout = TimeSpan.Zero,
            OnUnprocessed = (ref long item) => _unprocessed.Add(item),
        });
        NewProducer();
        Attach(0, 0);
    }

    /// <summary>Does one command, and compares.</summary>
    public void Do(Command command)
    {
        (_, _, int a, int b) = command;
        switch (command.Op)
        {
            case Op.TryPublish: TryPublish(Pick(a)); break;
            case Op.Publish: Publish(Pick(a)); break;
            case Op.PublishSpan: PublishSpan(Pick(a), b % (_setting.Capacity + 2)); break;
            case Op.WriterThrows: WriterThrows(Pick(a)); break;
            case Op.TryClaim: Claim(Pick(a), Count(b), Op.TryClaim); break;
            case Op.TimedClaim: Claim(Pick(a), Count(b), Op.TimedClaim); break;
            case Op.CancelledClaim: Claim(Pick(a), Count(b), Op.CancelledClaim); break;
            case Op.Commit when _claims.Count > 0: End(a, b % 4 == 0 ? b : int.MaxValue); break;
            case Op.Abort when _claims.Count > 0: End(a, 0); break;
            case Op.WaitForRoom: WaitForRoom(Pick(a), Count(b)); break;
            case Op.NewProducer: NewProducer(); break;
            case Op.DisposeProducer: DisposeProducer(Pick(a)); break;
            case Op.Step: Step(a, b); break;
            case Op.Attach: Attach(a, b); break;
            case Op.Detach: Detach(a); break;
            case Op.Look: Look(); break;
            case Op.Start: Expect("Start", _model.TryStart(), Outcome(_ring.Start)); break;
            case Op.Fault: _stages[a % _stages.Count].Model.Throws = true; break;
            case Op.Complete: Complete(); break;
            case Op.Halt: Halt(); break;
            case Op.Drain: Drain(); break;
            case Op.Dispose: Dispose(); break;
        }

        Compare();
    }

    // Up to two more than can be had at once.
    private int Count(int b) => b % (_setting.Capacity + 2);

    private Handle Pick(int a) => _handles[a % _handles.Count];

    private long NewItem(Handle handle) => (handle.Model.Lane?.Index ?? 0) * RingModel.Lane + _nextItem++;

    private void TryPublish(Handle handle)
    {
        long item = NewItem(handle);
        string expected = _model.Claim(handle.Model, 1);
        string outcome = Outcome(() => handle.Producer.TryPublish(item).ToString());
        if (Expect($"TryPublish({item})", expected, outcome)) Published(handle, [item]);
    }

    private void Publish(Handle handle)
    {
        string expected = _model.Claim(handle.Model, 1);
        if (expected == nameof(ClaimStatus.Full))
        {
            TryPublish(handle);
            return;
        }

        bool stopped = expected == nameof(ClaimStatus.Stopped);
        if (stopped) _model.RefusePublish(handle.Model);
        long item = NewItem(handle);
        string outcome = Outcome(() => handle.Producer.Publish(item));
        if (Expect($"Publish({item})", stopped ? _model.Refusal : expected, outcome)) Published(handle, [item]);
    }

    private void PublishSpan(Handle handle, int count)
    {
        int part = Math.Min(handle.Producer.MaxClaim, Math.Max(1, (handle.Model.Lane?.Capacity ?? _setting.Capacity) / 2));
        string expected = count == 0 ? RingModel.Done : _model.Claim(handle.Model, Math.Min(count, part));
        if (expected is nameof(ClaimStatus.Full) || (expected == RingModel.Done && _model.Room(handle.Model) < count)
            || expected.Contains(' ') || NearTheEnd(handle, count)) return;
        long[] items = [.. Enumerable.Range(0, count).Select(_ => NewItem(handle))];
        string outcome = Outcome(() => handle.Producer.Publish(items.AsSpan()));
        if (!Expect($"Publish({count} items)", expected == nameof(ClaimStatus.Stopped) ? _model.Refusal : expected, outcome)) return;
        for (int at = 0; at < count; at += part) Published(handle, items.AsSpan(at, Math.Min(part, count - at)));
    }

    // Where one part may still fit and the next not.
    private bool NearTheEnd(Handle handle, int count) =>
        _model.ClaimedThrough > long.MaxValue - 4L * _setting.Capacity - count && handle.Model.Lane is null or { Index: 0 };

    private void WriterThrows(Handle handle)
    {
        string expected = _model.Claim(handle.Model, 1);
        if (expected == nameof(ClaimStatus.Full)) return;
        string outcome = Outcome(() => handle.Producer.Publish(0, static (ref long _, int _) => throw new WriterFault()));
        expected = expected == nameof(ClaimStatus.Stopped) ? _model.Refusal : expected.Replace(RingModel.Done, nameof(WriterFault));
        Expect("Publish(writer throws)", expected, outcome);
        if (outcome == nameof(WriterFault)) _model.End(handle.Model, _model.Claimed(handle.Model, 1), [], 1);
    }

    private void Published(Handle handle, ReadOnlySpan<long> items) =>
        _model.End(handle.Model, _model.Claimed(handle.Model, items.Length), items, items.Length);

    private void Claim(Handle handle, int count, Op how)
    {
        string full = how switch
        {
            Op.TryClaim => nameof(ClaimStatus.Full),
            Op.TimedClaim => nameof(ClaimStatus.TimedOut),
            _ => nameof(OperationCanceledException),
        };
        string expected = _model.Claim(handle.Model, count, full);
        if (how == Op.CancelledClaim && expected == nameof(ClaimStatus.Stopped)) expected = _model.Refusal;
        long first = -1;
        long[] items = new long[Math.Max(0, count)];
        string outcome = Outcome(() => ClaimAndFill(handle, how, items, out first));
        if (!Expect($"{how}({count})", expected, outcome)) return;
        Assert.Equal(_model.Claimed(handle.Model, count), first);
        _claims.Add(new OpenClaim(handle, first, items));
    }

    // A claim lives on the stack. It is left open here, and ended later on as its Commit and Abort do.
    private string ClaimAndFill(Handle handle, Op how, long[] items, out long first)
    {
        first = -1;
        ClaimStatus status = ClaimStatus.Done;
        Claim<long> claim = default;
        if (how == Op.TryClaim) status = handle.Producer.TryClaim(items.Length, out claim);
        else if (how == Op.TimedClaim) status = handle.Producer.TryClaim(items.Length, TimeSpan.FromTicks(1), out claim);
        else claim = handle.Producer.Claim(items.Length, new CancellationToken(canceled: true));
        if (status != ClaimStatus.Done) return status.ToString();
        first = claim.Sequence;
        Assert.Equal(items.Length, claim.Count);
        for (int i = 0; i < items.Length; i++) claim[i] = items[i] = NewItem(handle);
        return RingModel.Done;
    }

    private void End(int which, int published)
    {
        OpenClaim claim = _claims[which % _claims.Count];
        _claims.Remove(claim);
        published = Math.Min(published, published == int.MaxValue ? claim.Items.Length : published % (claim.Items.Length + 1));
        string expected = _model.End(claim.Owner.Model, claim.First, claim.Items.AsSpan(0, published), claim.Items.Length);
        string outcome = Outcome(() => claim.Owner.Producer.Claimer.Settle(claim.First, claim.Items.Length, published));
        Expect($"commit {published} of {claim.Items.Length} from {claim.First}", expected, outcome);
    }

    private void WaitForRoom(Handle handle, int count)
    {
        string? expected = _model.WaitForRoom(handle.Model, count);
        if (expected is null) return;
        string outcome = Outcome(() => handle.Producer.WaitForRoomAsync(count).AsTask().GetAwaiter().GetResult().ToString());
        Expect($"WaitForRoomAsync({count})", expected, outcome);
        if (bool.TryParse(outcome, out _) && _model.Room(handle.Model) >= count) _model.Reserve(handle.Model, count);
    }

    private void NewProducer()
    {
        Handle? made = null;
        string outcome = Outcome(() => made = _setting.Kind == ProducerKind.Multi
            ? new Handle(_ring.CreateMultiProducer(), _model.AddProducer(-1))
            : Made(_ring.CreateProducer()));
        Expect("new producer", made is null ? _model.CreateProducer() : RingModel.Done, outcome);
        if (made is null) return;
        _handles.Add(made);
        Assert.Equal(_model.MaxClaim(made.Model), made.Producer.MaxClaim);
        Handle Made(SingleProducer<long> producer) => new(producer, _model.AddProducer(producer.Claims.Lane.Index));
    }

    private void DisposeProducer(Handle handle)
    {
        _say?.Invoke($"producer {_handles.IndexOf(handle)}: dispose");
        handle.Producer.Dispose();
        _model.DisposeProducer(handle.Model);
    }

    private static string Outcome(Action call) => Outcome(() =>
    {
        call();
        return RingModel.Done;
    });

    private static string Outcome(Func<string> call)
    {
        try
        {
            return call();
        }
        catch (Exception fault) when (fault is not Xunit.Sdk.XunitException)
        {
            return fault.GetType().Name;
        }
    }

    /// <summary>True where it was done.</summary>
    private bool Expect(string what, string expected, string outcome)
    {
        _say?.Invoke($"{what}: {outcome}");
        Assert.True(expected.Split(' ').Contains(outcome), $"{what}: {outcome}, expected {expected}");
        return outcome == RingModel.Done;
    }
}
