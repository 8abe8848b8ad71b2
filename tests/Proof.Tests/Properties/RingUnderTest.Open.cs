namespace Raceway.Proof.Tests.Properties;

/// <content>A producer that is opened for a loop: it lives on the stack, so the commands until its end run inside it.</content>
internal sealed partial class RingUnderTest
{
    /// <summary>What the opened producer has claimed and not committed: its items, and how many count.</summary>
    private sealed class Session(Handle handle)
    {
        public Handle Handle { get; } = handle;

        public LaneModel Lane => Handle.Model.Lane!;

        public long[] Items { get; set; } = [];
    }

    /// <summary>Opens a producer, and runs what <paramref name="next"/> gives until it is closed, or nothing is left.</summary>
    /// <param name="which">Which producer.</param>
    /// <param name="next">The next command for this ring's opened producer; others are done by it. Null: the end.</param>
    public void Open(int which, Func<Command?> next)
    {
        Handle handle = Pick(which);
        if (handle.Producer is not SingleProducer<long> producer) return;
        string expected = handle.Model.Disposed ? nameof(ObjectDisposedException) : handle.Model.IsOpen ? Refused : RingModel.Done;
        if (expected != RingModel.Done)
        {
            Expect("Open", expected, Outcome(() => producer.Open().Dispose()));
            return;
        }

        OpenProducer<long> open = producer.Open();
        _say?.Invoke("Open");
        handle.Model.IsOpen = true;
        var session = new Session(handle);
        try
        {
            while (next() is { Op: not Op.OpenDispose } command)
            {
                InSession(ref open, session, command);
                Compare();
            }
        }
        finally
        {
            open.Dispose();
        }

        _say?.Invoke("close");
        _model.End(handle.Model, session.Lane.Published + 1, [], 0);
        Compare();
    }

    private const string Refused = nameof(InvalidOperationException);

    private void InSession(ref OpenProducer<long> open, Session session, Command command)
    {
        int count = command.Op == Op.OpenClaimMany ? Count(command.B) : 1;
        switch (command.Op)
        {
            case Op.OpenClaim or Op.OpenClaimMany: Claim(ref open, session, count, command.Op == Op.OpenClaimMany); break;
            case Op.OpenPublish: Publish(ref open, session); break;
            case Op.OpenCommit: Commit(ref open, session, null); break;
            case Op.OpenCommitPart: Commit(ref open, session, command.B % (session.Items.Length + 2)); break;
        }
    }

    // It would wait where there is no room; at the end of the sequence space what is known to be free decides.
    private string? Allowed(Session session, int count)
    {
        LaneModel lane = session.Lane;
        if (count < 1 || count > lane.Capacity) return nameof(ArgumentOutOfRangeException);
        if (_model.IsClosed) return _model.Refusal;
        if (lane.Published + count > long.MaxValue - 2L * _setting.Capacity) return null;
        return _model.Room(session.Handle.Model) >= count ? RingModel.Done : null;
    }

    private void Claim(ref OpenProducer<long> open, Session session, int count, bool many)
    {
        if (Allowed(session, count) is not { } expected) return;
        string outcome = RingModel.Done;
        long[] items = new long[count];
        for (int i = 0; i < count; i++) items[i] = NewItem(session.Handle);
        try
        {
            if (many)
            {
                Batch<long> batch = open.Claim(count);
                Assert.Equal((session.Lane.Published + 1, count), (batch.Sequence, batch.Count));
                for (int i = 0; i < count; i++) batch[i] = items[i];
            }
            else
            {
                open.Claim() = items[0];
            }
        }
        catch (Exception fault) when (fault is not Xunit.Sdk.XunitException)
        {
            outcome = fault.GetType().Name;
        }

        // What is refused is announced no more; but a claim before it may still be committed.
        session.Lane.Announced = session.Lane.Published + (outcome == RingModel.Done ? count : 0);
        if (Expect($"open: Claim({count})", expected, outcome)) session.Items = items;
    }

    private void Publish(ref OpenProducer<long> open, Session session)
    {
        if (Allowed(session, 1) is not { } expected) return;
        long item = NewItem(session.Handle);
        string outcome = RingModel.Done;
        try
        {
            open.Publish(item);
        }
        catch (Exception fault)
        {
            outcome = fault.GetType().Name;
            session.Lane.Announced = session.Lane.Published;
        }

        if (!Expect($"open: Publish({item})", expected, outcome)) return;
        _model.Publish(session.Lane, item);
        session.Items = [];
    }

    private void Commit(ref OpenProducer<long> open, Session session, int? count)
    {
        // A slot claimed before, and claimed again by another call since, is the same slot.
        long[] items = session.Items;
        string expected = count > items.Length ? nameof(ArgumentOutOfRangeException) : RingModel.Done;
        string outcome = RingModel.Done;
        try
        {
            if (count is { } some) open.Commit(some);
            else open.Commit();
        }
        catch (Exception fault)
        {
            outcome = fault.GetType().Name;
        }

        int published = count ?? items.Length;
        if (expected == RingModel.Done && _model.IsHalted && published > 0) expected = _model.Refusal;
        if (expected != nameof(ArgumentOutOfRangeException)) session.Items = [];
        if (!Expect($"open: Commit({(count is null ? "" : count)})", expected, outcome)) return;
        foreach (long item in items.AsSpan(0, published)) _model.Publish(session.Lane, item);
        if (count is not null) session.Lane.Announced = session.Lane.Published;
    }
}
