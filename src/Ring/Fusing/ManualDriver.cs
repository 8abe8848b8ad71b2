namespace Raceway.Rings;

/// <summary>Steps caller-driven stages in an order drawn from a seed: the same seed, the same run. For tests.</summary>
/// <remarks>
/// <para>Uses no thread and no clock of its own. Stages must have been attached with <see cref="Drive.Caller"/>.</para>
/// <para><b>Threads</b>: every member by any thread; a run repeats only where one thread steps.</para>
/// </remarks>
/// <param name="stages">What to step, one or more.</param>
/// <param name="seed">Decides the order and the size of the steps.</param>
/// <example>
/// <code>
/// Stage first = ring.Subscribe(static (ref Order order) => order.Price = 1, new StageOptions { Drive = Drive.Caller });
/// Stage second = ring.Subscribe(write, new StageOptions { Drive = Drive.Caller, After = [first] });
/// ring.Start();
/// producer.Publish(order);
/// long handled = new ManualDriver([first, second], seed: 3).RunUntilIdle();  // 2: one item, two stages
/// </code>
/// </example>
public sealed class ManualDriver(IEnumerable<Stage> stages, int seed = 0)
{
    private readonly Stage[] _stages = Checked(stages);
    private readonly Random _random = new(seed);

    /// <summary>Steps one of the stages, drawn at random, by up to <paramref name="quantum"/> items.</summary>
    /// <param name="quantum">The most items of a step.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="quantum"/> is below 1.</exception>
    public StepResult StepAny(int quantum = int.MaxValue)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(quantum, 1);
        Gate.Enter(_random);
        Stage stage = _stages[_random.Next(_stages.Length)];
        int most = quantum == int.MaxValue ? quantum : _random.Next(1, quantum + 1);
        Gate.Exit(_random);
        return stage.Step(most);
    }

    /// <summary>Steps until no stage has anything to do; returns the items handled, summed over the stages.</summary>
    public long RunUntilIdle()
    {
        long handled = 0;
        bool progressed = true;
        while (progressed)
        {
            progressed = false;
            foreach (Stage stage in Shuffled())
            {
                StepResult result = stage.Step();
                handled += result.Count;
                progressed |= result.Kind == StepKind.Progressed;
            }
        }

        return handled;
    }

    /// <summary>
    /// After a run that found nothing more: how long until time alone lets a stage go on, by the clock of its ring
    /// (<see cref="RingOptions.Time"/>). Infinite if none waits for time.
    /// </summary>
    /// <remarks>
    /// <para>What passes with time: the age of a batch, the pause before a retry, the time-out of an async handler or of a lost
    /// claim, and an idle hook. A loop sleeps for so long, or moves the clock of a test by so much, and steps again.</para>
    /// <para>Zero: something is due now, or another thread is inside a step.</para>
    /// </remarks>
    public TimeSpan UntilDue()
    {
        TimeSpan least = Timeout.InfiniteTimeSpan;
        foreach (Stage stage in _stages)
        {
            TimeSpan due = stage.Caller!.UntilDue();
            if (due != Timeout.InfiniteTimeSpan && (least == Timeout.InfiniteTimeSpan || due < least)) least = due;
        }

        return least;
    }

    private Stage[] Shuffled()
    {
        Stage[] shuffled = [.. _stages];
        Gate.Enter(_random);
        _random.Shuffle(shuffled);
        Gate.Exit(_random);
        return shuffled;
    }

    private static Stage[] Checked(IEnumerable<Stage> stages)
    {
        ArgumentNullException.ThrowIfNull(stages);
        Stage[] all = [.. stages];
        if (all.Length == 0 || all.Contains(null)) throw StageErrors.NoStages();
        if (Array.Find(all, static stage => stage.Caller is null) is { } driven) throw StageErrors.NotOfCaller(driven.Name);
        return all;
    }
}
