
namespace Raceway.Proof.Tests.Properties;

/// <summary>Three threads on a small ring, six calls each: whatever they are told, one order of effects explains it.</summary>
public sealed class LinearizabilityTests(ITestOutputHelper output)
{
    private const int Threads = 3;
    private const int MostCalls = 6;
    private const int MostSpins = 60;

    /// <summary>Threads that begin each history at the same moment: they look for it instead of sleeping.</summary>
    private sealed class RoundThreads : IDisposable
    {
        private readonly Task[] _threads;
        private Action[] _bodies = [];
        private int _round;
        private int _ended;

        public RoundThreads() => _threads = [.. Enumerable.Range(0, Threads).Select(i => Watchdog.Run(() => Work(i)))];

        public void Run(Action[] bodies)
        {
            _bodies = bodies;
            Volatile.Write(ref _ended, 0);
            Interlocked.Increment(ref _round);
            Await(static roundThreads => Volatile.Read(ref roundThreads._ended) == Threads);
        }

        public void Dispose() => Run([]);

        private void Work(int i)
        {
            Action[] bodies;
            int round = 0;
            do
            {
                while (Volatile.Read(ref _round) == round) Thread.Yield();
                round++;
                bodies = _bodies;
                if (bodies.Length > 0) bodies[i]();
                Interlocked.Increment(ref _ended);
            }
            while (bodies.Length > 0);
        }

        private void Await(Func<RoundThreads, bool> isSo)
        {
            while (!isSo(this))
            {
                Task? failed = Array.Find(_threads, thread => thread.IsFaulted);
                if (failed is not null) throw failed.Exception!;
                Thread.Yield();
            }
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Calls_ThreeThreads_AreExplainedByOneOrder(bool multi)
    {
        int overlapping = 0;
        long done = 0;
        int histories = Cases.Count(700);
        await Watchdog.Await(
            Watchdog.Run(() =>
            {
                using var roundThreads = new RoundThreads();
                for (int i = 0; i < histories; i++)
                {
                    int seed = unchecked((int)Cases.Seed + i);
                    List<Recorded> calls = Record(roundThreads, new Random(seed), multi, out int capacity);
                    Assert.True(
                        new History(calls, multi, capacity).IsExplained(),
                        $"{Cases.SeedVariable}={(uint)seed}, capacity {capacity}:\n{string.Join('\n', calls)}");
                    if (calls.Any(one => calls.Any(other => one != other && one.Began < other.Began && other.Began < one.Ended))) overlapping++;
                    done += calls.Count;
                }
            }),
            progress: () => Volatile.Read(ref done));
        // A busy machine shows less; it is no fault of the ring.
        output.WriteLine($"{overlapping} of {histories} histories have calls that overlap{(overlapping < histories / 20 ? ": inconclusive" : "")}.");
        Tally.Add(Counted.Operations, done);
    }

    private static List<Recorded> Record(RoundThreads roundThreads, Random random, bool multi, out int capacity)
    {
        // With twice as many slots as producers or less, no producer holds room that it does not use.
        capacity = multi ? 4 : 2 << random.Next(2);
        RingBuffer<long> ring = Make.Ring(capacity, multi ? ProducerKind.Multi : ProducerKind.Single);
        List<Recorded>[] plans =
        [
            Plan(random, _ => Call.TryPublish, 0),
            Plan(random, i => multi ? Call.TryPublish : (random.Next(12), i) switch { (0, _) => Call.Complete, (_, 2) => Call.Detach, _ => Call.Remaining }, 10),
            Plan(random, _ => random.Next(5) == 0 ? Call.Remaining : Call.Step, 20),
        ];
        if (multi && random.Next(2) == 0) plans[1].Insert(random.Next(plans[1].Count), new Recorded(Call.Detach, 0));
        // A ring that is closed lets nobody leave.
        if (plans[1].Exists(one => one.Call == Call.Complete)) plans[1].RemoveAll(one => one.Call == Call.Detach);
        bool[] pauses = [.. Enumerable.Range(0, MostCalls + 1).Select(_ => random.Next(2) == 0)];
        Recorded? step = null;
        Stage stage = ring.Subscribe(new BatchLambda<long>(batch =>
        {
            for (int i = 0; i < batch.Count; i++) step!.Items.Add(batch[i]);
            if (pauses[batch.Count]) Pause();
        }), Make.Stepped());
        Stage? beside = plans[1].Exists(one => one.Call == Call.Detach) ? ring.Subscribe(new Recorder.Silent(), Make.Stepped()) : null;
        Producer<long>[] producers = [.. Enumerable.Range(0, multi ? 2 : 1).Select(_ => Make.Producer(ring))];
        int[] spins = [.. plans.Select(_ => random.Next(MostSpins))];
        int clock = 0;
        roundThreads.Run([.. plans.Select((plan, thread) => (Action)(() =>
        {
            foreach (Recorded one in plan)
            {
                Thread.SpinWait(spins[thread]);
                if (one.Argument % 3 == thread) Thread.Yield();
                if (one.Call == Call.Step) step = one;
                one.Began = Interlocked.Increment(ref clock);
                switch (one.Call)
                {
                    case Call.TryPublish when pauses[one.Argument % pauses.Length]:
                        one.Status = producers[thread].TryPublish(one.Argument, WriteAndPause);
                        break;
                    case Call.TryPublish: one.Status = producers[thread].TryPublish(one.Argument); break;
                    case Call.Step: stage.Step(one.Argument); break;
                    case Call.Remaining: one.Value = producers[0].Remaining; break;
                    case Call.Detach: ring.DetachAsync(beside!).GetAwaiter().GetResult(); break;
                    default: ring.Complete(); break;
                }

                one.Ended = Interlocked.Increment(ref clock);
            }
        }))]);
        return [.. plans.SelectMany(plan => plan).OrderBy(one => one.Began)];
    }

    // Between the claim and the publication, so that calls overlap also where there is but one core.
    private static void WriteAndPause(ref long slot, int item)
    {
        slot = item;
        Pause();
    }

    private static void Pause()
    {
        for (int i = 0; i < 3; i++) Thread.Yield();
    }

    private static List<Recorded> Plan(Random random, Func<int, Call> call, int firstItem) =>
        [.. Enumerable.Range(0, random.Next(1, MostCalls + 1)).Select(i =>
        {
            Call what = call(i);
            return new Recorded(what, what == Call.Step ? random.Next(1, 4) : firstItem + i);
        })];
}
