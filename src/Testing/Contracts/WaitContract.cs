using Raceway.Rings;

namespace Raceway.Testing;

/// <summary>What every wait strategy keeps: Raceway's own pass it, and one of yours must.</summary>
/// <remarks>
/// It runs rings with the strategy for stages and for producers, for each kind of producers, on small rings, so that both
/// sides wait all the time. <b>Cost</b>: some tenths of a second, more for a strategy that sleeps.
/// </remarks>
/// <example>
/// <code>
/// WaitContract.Check(Wait.TimedPark(TimeSpan.FromMilliseconds(1)));  // a strategy of your own in its place
/// </code>
/// </example>
public static class WaitContract
{
    private const int Items = 2_000;
    private const int Single = 20;

    /// <summary>Checks <paramref name="wait"/>.</summary>
    /// <param name="wait">The strategy.</param>
    /// <param name="limit">How long each part may take. Default: a minute; what takes longer counts as hanging.</param>
    /// <exception cref="ContractException">It breaks a rule; the message says which.</exception>
    public static void Check(Wait wait, TimeSpan? limit = null)
    {
        ArgumentNullException.ThrowIfNull(wait);
        TimeSpan most = limit ?? TimeSpan.FromMinutes(1);
        foreach (ProducerKind kind in Enum.GetValues<ProducerKind>())
        {
            var guard = new Guard($"wait '{wait.Name}', {kind} producers", most);
            Check(guard, "Every item must arrive once and in order.", wait, kind, Streams);
            Check(guard, "A stage that has waited long must hear of each item.", wait, kind, OneByOne);
            Check(guard, "A halt must end stages and producers that wait.", wait, kind, Halts);
            Check(guard, "A fault must end stages and producers that wait.", wait, kind, Faults);
            Check(guard, "A time-out must end a producer's wait, and claim nothing.", wait, kind, TimesOut);
            Check(guard, "A token must end a producer's wait, and claim nothing.", wait, kind, Cancels);
        }
    }

    private static void Check(Guard guard, string rule, Wait wait, ProducerKind kind, Action<Guard, string, RingBuffer<long>, Func<Producer<long>>> check)
    {
        var ring = new RingBuffer<long>(8, new RingOptions<long>
        {
            Wait = wait, ProducerWait = wait, Producers = kind, MaxProducers = 1, DrainTimeout = TimeSpan.Zero,
        });
        guard.Disposes("A disposal must end.", ring, () => Tell(guard, rule, () => check(guard, rule, ring, ring.CreateAnyProducer)));
    }

    // What the ring throws of it, as it may at any call, is a breach like others.
    private static void Tell(Guard guard, string rule, Action check)
    {
        try
        {
            check();
        }
        catch (Exception fault) when (fault is not ContractException)
        {
            guard.That(false, rule, () => $"{fault.GetType().Name}: {fault.Message}");
        }
    }

    private static void Streams(Guard guard, string rule, RingBuffer<long> ring, Func<Producer<long>> create)
    {
        long first = 0, second = 0;
        bool inOrder = true;
        Stage one = ring.Subscribe((ref long item) => inOrder &= item == first++);
        ring.Subscribe((ref long item) => inOrder &= item == second++, new StageOptions { After = [one] });
        ring.Start();
        Producer<long> producer = create();
        guard.Ends(rule, () =>
        {
            for (long i = 0; i < Items; i++) producer.Publish(i);
        });
        DrainResult result = guard.Ends(rule, ring.DrainAsync(Timeout.InfiniteTimeSpan));
        guard.That(
            result.IsDrained && inOrder && first == Items && second == Items, rule,
            () => $"{result}, {first} and {second} of {Items} items, in order: {inOrder}");
    }

    private static void OneByOne(Guard guard, string rule, RingBuffer<long> ring, Func<Producer<long>> create)
    {
        long handled = 0;
        ring.Subscribe((ref long _) => Volatile.Write(ref handled, handled + 1));
        ring.Start();
        Producer<long> producer = create();
        for (long i = 1; i <= Single; i++)
        {
            // Long enough for a strategy that comes to rest.
            Thread.Sleep(2);
            long item = i;
            guard.Ends(rule, () => producer.Publish(item));
            guard.Comes(rule, () => Volatile.Read(ref handled) == item, () => $"{Volatile.Read(ref handled)} of {item} items");
        }
    }

    private static void Halts(Guard guard, string rule, RingBuffer<long> ring, Func<Producer<long>> create)
    {
        (ManualResetEventSlim hold, Task<bool> publishing) = FillUp(guard, ring, create);
        Task halting = ring.HaltAsync();
        hold.Set();
        guard.Ends(rule, halting.Wait);
        guard.That(guard.Ends(rule, publishing), rule, () => "the producer's call returned as if its item had been taken");
    }

    private static void Faults(Guard guard, string rule, RingBuffer<long> ring, Func<Producer<long>> create)
    {
        (ManualResetEventSlim hold, Task<bool> publishing) = FillUp(guard, ring, create, fails: true);
        hold.Set();
        guard.That(guard.Ends(rule, publishing), rule, () => "the producer's call returned as if its item had been taken");
        guard.Ends(rule, () => Task.WhenAny(ring.Completion).Wait());
        guard.That(ring.State == RingState.Faulted, rule, () => $"the ring is {ring.State}");
    }

    private static void TimesOut(Guard guard, string rule, RingBuffer<long> ring, Func<Producer<long>> create)
    {
        Producer<long> producer = Full(ring, create);
        ClaimStatus status = ClaimStatus.Done;
        guard.Ends(rule, () => status = producer.TryPublish(99, TimeSpan.FromMilliseconds(20)));
        guard.That(status == ClaimStatus.TimedOut && ring.Backlog == ring.Capacity, rule, () => $"{status}, backlog {ring.Backlog}");
    }

    private static void Cancels(Guard guard, string rule, RingBuffer<long> ring, Func<Producer<long>> create)
    {
        Producer<long> producer = Full(ring, create);
        using var cancelled = new CancellationTokenSource(TimeSpan.FromMilliseconds(20));
        bool thrown = false;
        guard.Ends(rule, () =>
        {
            try
            {
                producer.Publish(99, cancelled.Token);
            }
            catch (OperationCanceledException)
            {
                thrown = true;
            }
        });
        guard.That(thrown && ring.Backlog == ring.Capacity, rule, () => $"cancelled: {thrown}, backlog {ring.Backlog}");
    }

    // A stage that is in its handler, a ring that is full, and a producer that waits for room.
    private static (ManualResetEventSlim Hold, Task<bool> Publishing) FillUp(
        Guard guard, RingBuffer<long> ring, Func<Producer<long>> create, bool fails = false)
    {
        var hold = new ManualResetEventSlim();
        ring.Subscribe((ref long _) =>
        {
            hold.Wait();
            if (fails) throw new InvalidOperationException("a fault of the contract's own");
        });
        ring.Start();
        Producer<long> producer = create();
        var publishing = new TaskCompletionSource<bool>();
        new Thread(() =>
        {
            try
            {
                while (true) producer.Publish(1);
            }
            catch (Exception refused)
            {
                publishing.SetResult(refused is RingStoppedException or RingFaultedException);
            }
        })
        { IsBackground = true, Name = "contract" }.Start();
        guard.Comes("A producer must fill the ring.", () => ring.Backlog >= ring.Capacity - 1, () => $"backlog {ring.Backlog}");
        return (hold, publishing.Task);
    }

    // No thread steps its stage: the ring stays full.
    private static Producer<long> Full(RingBuffer<long> ring, Func<Producer<long>> create)
    {
        ring.Subscribe(static (ref long _) => { }, new StageOptions { Drive = Drive.Caller });
        ring.Start();
        Producer<long> producer = create();
        while (producer.TryPublish(1) == ClaimStatus.Done)
        {
        }

        return producer;
    }
}
