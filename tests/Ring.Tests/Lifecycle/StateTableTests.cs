namespace Raceway.Rings.Tests;

/// <summary>Every call in every state.</summary>
public sealed class StateTableTests
{
    // What a call may come to: "ok", a status, or the name of the exception.
    private const string Stopped = nameof(RingStoppedException);
    private const string Faulted = nameof(RingFaultedException);
    private const string Disposed = nameof(ObjectDisposedException);
    private const string NotNow = nameof(InvalidOperationException);

    // Draining: Complete() with an item still unhandled.
    private static readonly string[] s_states = ["created", "running", "draining", "stopped", "faulted", "disposed"];

    private static readonly (string Call, string[] Outcomes)[] s_table =
    [
        ("publish", ["ok", "ok", Stopped, Stopped, Faulted, Disposed]),
        ("publish-span", ["ok", "ok", Stopped, Stopped, Faulted, Disposed]),
        ("try-publish", ["Done", "Done", "Stopped", "Stopped", "Stopped", "Stopped"]),
        ("claim", ["ok", "ok", Stopped, Stopped, Faulted, Disposed]),
        ("claim-cancelled", ["ok", "ok", Stopped, Stopped, Faulted, Disposed]),
        ("try-claim", ["Done", "Done", "Stopped", "Stopped", "Stopped", "Stopped"]),
        ("timed-claim", ["Done", "Done", "Stopped", "Stopped", "Stopped", "Stopped"]),
        ("room-async", ["True", "True", "False", "False", "False", "False"]),
        ("publish-async", ["ok", "ok", Stopped, Stopped, Faulted, Disposed]),
        ("create-producer", ["ok", "ok", "ok", "ok", "ok", "ok"]),
        ("dispose-producer", ["ok", "ok", "ok", "ok", "ok", "ok"]),
        ("subscribe", ["ok", "ok", NotNow, NotNow, NotNow, NotNow]),
        ("detach", ["ok", "ok", NotNow, NotNow, NotNow, NotNow]),
        ("dispatch", ["ok", "ok", "ok", "ok", "ok", "ok"]),
        ("start", ["ok", NotNow, NotNow, NotNow, NotNow, NotNow]),
        ("complete", ["ok", "ok", "ok", "ok", "ok", "ok"]),
        ("drain-zero", ["TimedOut", "TimedOut", "TimedOut", "Halted", "Faulted", "Halted"]),
        ("halt", ["ok", "ok", "ok", "ok", "ok", "ok"]),
        ("dispose", ["ok", "ok", "ok", "ok", "ok", "ok"]),
        ("step", ["Progressed", "Progressed", "Progressed", "Stopped", "Stopped", "Stopped"]),
        ("queries", ["ok", "ok", "ok", "ok", "ok", "ok"]),
    ];

    public static TheoryData<string> Calls => [.. s_table.Select(static row => row.Call)];

    [Theory]
    [MemberData(nameof(Calls))]
    public async Task Call_InState_EndsAsSpecified(string call)
    {
        string[] outcomes = s_table.Single(row => row.Call == call).Outcomes;
        List<string> wrong = [];
        foreach (ProducerKind kind in Enum.GetValues<ProducerKind>())
        {
            for (int i = 0; i < s_states.Length; i++)
            {
                string outcome = await OutcomeOf(call, s_states[i], kind);
                if (outcome != outcomes[i]) wrong.Add($"{call}, {s_states[i]}, {kind}: {outcome} instead of {outcomes[i]}");
            }
        }

        Assert.True(wrong.Count == 0, string.Join('\n', wrong));
    }

    private static async Task<string> OutcomeOf(string call, string state, ProducerKind kind)
    {
        (RingBuffer<long> ring, Stage stage, Producer<long> producer) = await Bring(state, kind);
        string outcome;
        try
        {
            outcome = await Watchdog.Await(Call(call, ring, stage, producer), ring);
        }
        catch (Exception thrown)
        {
            outcome = thrown is Xunit.Sdk.XunitException ? thrown.Message : thrown.GetType().Name;
        }

        // Whatever it was: the ring can be ended, and no call can claim after that.
        await Watchdog.Await(ring.DisposeAsync().AsTask(), ring);
        if (ring.State is not (RingState.Stopped or RingState.Faulted)) outcome += $", then {ring.State} though disposed";
        Exception? refusal = Record.Exception(() =>
        {
            if (producer.TryPublish(1) == ClaimStatus.Done) outcome += ", then publishes though disposed";
        });
        return refusal is null or ObjectDisposedException ? outcome : $"{outcome}, then {refusal.GetType().Name}";
    }

    // A ring with one item published and not handled, whose own stage the test steps; a second one has a thread.
    private static async Task<(RingBuffer<long> Ring, Stage Stage, Producer<long> Producer)> Bring(
        string state, ProducerKind kind)
    {
        var ring = Make.Ring(8, kind);
        bool fails = state == "faulted";
        Stage stage = ring.Subscribe(
            new EventLambda<long>((ref long _, long _, bool _) =>
            {
                if (fails) throw new FormatException();
            }),
            Make.Stepped(name: "stepped"));
        ring.Subscribe(new Recorder());
        Producer<long> producer = Make.Producer(ring);
        producer.Publish(1);
        if (state != "created") ring.Start();
        switch (state)
        {
            case "draining":
                ring.Complete();
                Assert.Equal(RingState.Draining, ring.State);
                break;
            case "stopped":
                await Watchdog.Await(ring.HaltAsync(), ring);
                Assert.Equal(RingState.Stopped, ring.State);
                break;
            case "faulted":
                stage.Step();
                await Assert.ThrowsAsync<RingFaultedException>(() => Watchdog.Await(ring.Completion, ring));
                Assert.Equal(RingState.Faulted, ring.State);
                break;
            case "disposed":
                await ring.DisposeAsync();
                Assert.Equal(RingState.Stopped, ring.State);
                break;
        }

        return (ring, stage, producer);
    }

    private static async Task<string> Call(string call, RingBuffer<long> ring, Stage stage, Producer<long> producer)
    {
        switch (call)
        {
            case "publish":
                producer.Publish(2);
                return "ok";
            case "publish-span":
                producer.Publish([2, 3]);
                return "ok";
            case "try-publish":
                return producer.TryPublish(2).ToString();
            case "claim":
                producer.Claim().Commit();
                return "ok";
            case "claim-cancelled":
                producer.Claim(1, new CancellationToken(canceled: true)).Commit();
                return "ok";
            case "try-claim":
                return TryClaim(TimeSpan.Zero);
            case "timed-claim":
                return TryClaim(TimeSpan.FromDays(1));
            case "room-async":
                return (await producer.WaitForRoomAsync()).ToString();
            case "publish-async":
                await producer.PublishAsync(2);
                return "ok";
            case "create-producer":
                producer.Dispose();
                Assert.NotNull(Make.Producer(ring));
                return "ok";
            case "dispose-producer":
                producer.Dispose();
                producer.Dispose();
                return "ok";
            case "subscribe":
                ring.Subscribe(new Recorder());
                return "ok";
            case "detach":
                await ring.DetachAsync(stage);
                return "ok";
            case "dispatch":
                stage.Dispatch = Dispatch.Single;
                return "ok";
            case "start":
                await ring.StartAsync();
                return "ok";
            case "complete":
                ring.Complete();
                ring.Complete();
                return "ok";
            case "drain-zero":
                return (await ring.DrainAsync(TimeSpan.Zero)).Status.ToString();
            case "halt":
                await ring.HaltAsync();
                await ring.HaltAsync();
                return "ok";
            case "dispose":
                await ring.DisposeAsync();
                await ring.DisposeAsync();
                return "ok";
            case "step":
                return stage.Step().Kind.ToString();
            default:
                Assert.InRange(ring.Backlog, 0, 8);
                Assert.InRange(producer.Remaining, 0, 8);
                Assert.InRange(stage.Lag, 0, 8);
                Assert.InRange(stage.Position, -1, 1);
                Assert.Equal("stepped", stage.GetStatistics().Name);
                Assert.NotNull(ring.Completion);
                return "ok";
        }

        string TryClaim(TimeSpan timeout)
        {
            ClaimStatus status = producer.TryClaim(1, timeout, out Claim<long> claim);
            if (status == ClaimStatus.Done) claim.Commit();
            return status.ToString();
        }
    }
}
