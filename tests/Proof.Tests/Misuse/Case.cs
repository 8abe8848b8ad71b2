using System.Diagnostics;
using System.Text;

namespace Raceway.Proof.Tests.Misuse;

/// <summary>One case: a world drawn from a seed, two or three threads, and the calls of each.</summary>
internal sealed class Case
{
    private const int CallsOfAThread = 220;
    private const int MostSeconds = 30;
    private const int LooksAtRest = 4;

    private readonly string _kind;
    private readonly uint _seed;

    public Case(string kind, uint seed)
    {
        _kind = kind;
        _seed = seed;
        (World world, Player[] players, Dice dice) = Build();
        int[] sums = [.. Sums(world.Weights)];
        Steps = [.. players.Select(_ => Enumerable.Range(0, CallsOfAThread).Select(_ => Draw(sums, ref dice)).ToArray())];
        _ = world.EndAsync(dice);
    }

    private Case(Case whole, Step[][] steps)
    {
        _kind = whole._kind;
        _seed = whole._seed;
        Steps = steps;
    }

    /// <summary>The calls of each thread.</summary>
    public Step[][] Steps { get; }

    /// <summary>Calls made by all threads in the last run.</summary>
    public long Calls { get; private set; }

    /// <summary>How often which call had which outcome.</summary>
    public Dictionary<string, int> Outcomes { get; } = [];

    /// <summary>Whether something has not come back: its threads are still there, and the process is of no more use.</summary>
    public bool HasHung { get; private set; }

    /// <summary>Runs it; returns what is wrong, or nothing.</summary>
    public string? Run()
    {
        (World world, Player[] players, Dice dice) = Build();
        var threads = new Thread[players.Length];
        using var left = new CountdownEvent(players.Length);
        using var start = new Barrier(players.Length);
        for (int i = 0; i < players.Length; i++)
        {
            Player player = players[i];
            Step[] steps = Steps[i];
            threads[i] = new Thread(() =>
            {
                player.ManagedThread = Environment.CurrentManagedThreadId;
                start.SignalAndWait();
                world.Play(player, steps);
                Volatile.Write(ref player.IsFinished, true);
                left.Signal();
            })
            { IsBackground = true };
            threads[i].Start();
        }

        if (!Watch(world, players, left)) return Hang("a call does not return", world, players);
        foreach (Thread thread in threads) thread.Join();
        if (!Ends(Watchdog.Run(() => world.EndAsync(dice).GetAwaiter().GetResult()), out string? fault)) return Hang("the end does not come", world, players);
        if (fault is not null) world.Ledger.Fault(fault);
        if (!Ends(Task.WhenAll(players.SelectMany(player => player.Pending)), out fault))
            return Hang("a task does not complete, although all has ended", world, players);
        if (fault is not null) world.Ledger.Fault(fault);
        Calls = players.Sum(player => player.Calls);
        foreach ((string outcome, int times) in players.SelectMany(player => player.Outcomes))
            Outcomes[outcome] = Outcomes.GetValueOrDefault(outcome) + times;
        return world.Ledger.IsRight ? null : $"{string.Join('\n', world.Ledger.Wrong)}\n{world.Describe()}";
    }

    /// <summary>Drops calls for as long as it still fails; bounded, as it need not fail every time.</summary>
    public Case Shrink(TimeSpan atMost, int tries)
    {
        Case smallest = this;
        var clock = Stopwatch.StartNew();
        for (int length = CallsOfAThread / 2; length > 0 && clock.Elapsed < atMost; length /= 2)
        {
            for (int thread = 0; thread < Steps.Length; thread++)
            {
                for (int first = 0; first < smallest.Steps[thread].Length && clock.Elapsed < atMost;)
                {
                    Step[][] steps = [.. smallest.Steps];
                    Step[] own = steps[thread];
                    steps[thread] = [.. own[..first], .. own[Math.Min(own.Length, first + length)..]];
                    var smaller = new Case(this, steps);
                    bool fails = false;
                    for (int run = 0; run < tries && !fails; run++) fails = smaller.Run() is not null;
                    if (smaller.HasHung) return smaller;
                    if (fails) smallest = smaller;
                    else first += length;
                }
            }
        }

        return smallest;
    }

    /// <summary>Its calls, thread by thread.</summary>
    public string Listing()
    {
        (World world, _, Dice dice) = Build();
        var text = new StringBuilder();
        for (int thread = 0; thread < Steps.Length; thread++)
        {
            text.Append($"thread {thread}:\n");
            foreach (Step step in Steps[thread]) text.Append($"    {world.NameOf(step.Operation)} [{step.Seed}]\n");
        }

        _ = world.EndAsync(dice);
        return text.ToString();
    }

    private (World World, Player[] Players, Dice Dice) Build()
    {
        var dice = new Dice(_seed);
        int threads = dice.Next(2, 3);
        var ledger = new Ledger(threads + Setting.MostStages, Setting.MostStages);
        World world = Worlds.Make(_kind, ledger, dice, threads);
        Player[] players = [.. Enumerable.Range(0, threads).Select(i => new Player(i, ledger, () => world.HasEnded))];
        return (world, players, dice);
    }

    // Not time but rest is looked for: only where nothing moves, and every thread that is left may wait, the world is ended.
    private static bool Watch(World world, Player[] players, CountdownEvent left)
    {
        long last = -1;
        int atRest = 0;
        bool rescued = false;
        long since = Environment.TickCount64;
        while (!left.Wait(1))
        {
            long now = players.Sum(player => Volatile.Read(ref player.Calls));
            if (now != last)
            {
                (last, atRest, since) = (now, 0, Environment.TickCount64);
                continue;
            }

            if (++atRest >= LooksAtRest && !rescued && players.All(player => Volatile.Read(ref player.IsFinished) || Volatile.Read(ref player.Waits)))
            {
                rescued = true;
                world.Rescue();
            }

            if (Environment.TickCount64 - since > MostSeconds * 1000) return false;
        }

        return true;
    }

    private static bool Ends(Task task, out string? fault)
    {
        fault = null;
        try
        {
            return task.Wait(TimeSpan.FromSeconds(MostSeconds));
        }
        catch (AggregateException thrown)
        {
            fault = $"ending threw {thrown.InnerException}";
            return true;
        }
    }

    private string Hang(string what, World world, Player[] players)
    {
        HasHung = true;
        IEnumerable<string> threads = players.Select(player =>
            $"thread {player.Index} ({player.ManagedThread}): {(player.IsFinished ? "returned" : $"in '{player.Now}' for {Environment.TickCount64 - player.Since} ms")}, "
            + $"{player.Calls} calls, {player.Pending.Count(task => !task.IsCompleted)} tasks pending");
        return $"hangs: {what}\n{string.Join('\n', threads)}\n{world.Describe()}\n{string.Join('\n', world.Ledger.Wrong)}";
    }

    private static IEnumerable<int> Sums(IEnumerable<int> weights)
    {
        int sum = 0;
        foreach (int weight in weights) yield return sum += weight;
    }

    private static Step Draw(int[] sums, ref Dice dice)
    {
        int at = dice.Next(sums[^1]);
        int operation = Array.FindIndex(sums, sum => at < sum);
        return new Step(operation, (uint)dice.Next(int.MaxValue));
    }
}
