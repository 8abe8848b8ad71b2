namespace Raceway.Testing;

/// <summary>Places at which a test may let something fail: a fake that a handler uses calls <see cref="Visit"/> there.</summary>
/// <remarks>
/// <para>A handler's faults come from what it calls: a database, a file, a service. A test gives it a fake of that, and the fake
/// visits a point before each call that can fail. <see cref="DispatchInvariance"/> lets each visit of a run fail in turn.</para>
/// <para><b>Threads</b>: every member by any thread.</para>
/// </remarks>
/// <example>
/// <code>
/// var faults = new FaultPoints();
/// faults.FailNext("save");
/// Assert.Throws&lt;InjectedFaultException>(() => new FakeStore(faults).Save(payment));
///
/// internal sealed class FakeStore(FaultPoints faults)
/// {
///     public List&lt;Payment> Saved { get; } = [];
///
///     public void Save(Payment payment)
///     {
///         faults.Visit("save");
///         Saved.Add(payment);
///     }
/// }
/// </code>
/// </example>
public sealed class FaultPoints
{
    private readonly Lock _gate = new();
    private readonly HashSet<int> _failing = [];
    private readonly Dictionary<string, int> _next = new(StringComparer.Ordinal);
    private int _visits;
    private int _thrown;
    private Random? _random;
    private double _chance;

    /// <summary>How often a point has been visited.</summary>
    public int Visits
    {
        get
        {
            lock (_gate) return _visits;
        }
    }

    /// <summary>How many visits have failed.</summary>
    public int Thrown
    {
        get
        {
            lock (_gate) return _thrown;
        }
    }

    /// <summary>Called by a fake where it may fail.</summary>
    /// <param name="point">The name of the place, for <see cref="FailNext"/> and for messages.</param>
    /// <exception cref="InjectedFaultException">This visit is to fail.</exception>
    public void Visit(string point = "point")
    {
        ArgumentNullException.ThrowIfNull(point);
        int visit;
        lock (_gate)
        {
            visit = _visits++;
            bool fails = _failing.Contains(visit) || (_random is not null && _random.NextDouble() < _chance);
            if (_next.TryGetValue(point, out int times) && times > 0)
            {
                _next[point] = times - 1;
                fails = true;
            }

            if (!fails) return;
            _thrown++;
        }

        throw new InjectedFaultException(point, visit);
    }

    /// <summary>Lets the next visits of <paramref name="point"/> fail.</summary>
    /// <param name="point">Its name, as its fake calls it.</param>
    /// <param name="times">How many visits, 1 or more.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="times"/> is below 1.</exception>
    public void FailNext(string point = "point", int times = 1)
    {
        ArgumentNullException.ThrowIfNull(point);
        ArgumentOutOfRangeException.ThrowIfLessThan(times, 1);
        lock (_gate) _next[point] = times;
    }

    /// <summary>Lets the visit of that number fail, whatever its point.</summary>
    /// <param name="visit">Counted from 0 over all points.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="visit"/> is negative.</exception>
    public void FailAt(int visit)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(visit);
        lock (_gate) _failing.Add(visit);
    }

    /// <summary>Lets visits fail by chance. The same seed and the same visits give the same faults.</summary>
    /// <param name="seed">Of the chance.</param>
    /// <param name="chance">0, never, to 1, always.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="chance"/> is not from 0 to 1.</exception>
    public void FailBySeed(int seed, double chance)
    {
        if (!(chance is >= 0 and <= 1))
            throw new ArgumentOutOfRangeException(nameof(chance), chance, "A chance lies from 0, never, to 1, always. Give one of these.");
        lock (_gate) (_random, _chance) = (new Random(seed), chance);
    }
}

/// <summary>The fault that a test has asked for at a <see cref="FaultPoints">fault point</see>.</summary>
public sealed class InjectedFaultException : Exception
{
    internal InjectedFaultException(string point, int visit)
        : base($"A test lets '{point}' fail, at visit {visit}.") => (Point, Visit) = (point, visit);

    /// <summary>The name of the place.</summary>
    public string Point { get; }

    /// <summary>Which visit, counted from 0.</summary>
    public int Visit { get; }
}
