using System.Globalization;
using System.Text;

namespace Raceway.Explorer.Engine;

/// <summary>Decides wherever an execution could go on in several ways. The list of decisions replays it.</summary>
internal abstract class Choices
{
    private readonly List<int> _taken = [];

    /// <summary>Decisions of this execution.</summary>
    public IReadOnlyList<int> Taken => _taken;

    /// <summary>One of <paramref name="count"/>; 0 is to go on as before.</summary>
    public int Choose(int count)
    {
        if (count <= 1) return 0;
        int choice = Decide(_taken.Count, count);
        _taken.Add(choice);
        return choice;
    }

    /// <summary>Which of the threads runs, and then perhaps something else that may happen.</summary>
    /// <param name="threads">The candidates, the running one first where it can go on.</param>
    /// <param name="count">Candidates, with what else may happen.</param>
    public int ChooseThread(ReadOnlySpan<ModelThread> threads, int count)
    {
        if (count <= 1) return 0;
        int choice = DecideThread(_taken.Count, threads, count);
        _taken.Add(choice);
        return choice;
    }

    /// <summary>Ready for the next execution; false where all have been run.</summary>
    public virtual bool Next()
    {
        _taken.Clear();
        return true;
    }

    /// <summary>A thread has come into being.</summary>
    public virtual void Created(ModelThread thread)
    {
    }

    protected abstract int Decide(int position, int count);

    protected virtual int DecideThread(int position, ReadOnlySpan<ModelThread> threads, int count) => Decide(position, count);

    /// <summary>The decisions as text: only those that are not 0, with their position.</summary>
    public static string Print(IEnumerable<int> taken)
    {
        var text = new StringBuilder();
        int at = 0;
        foreach (int choice in taken)
        {
            if (choice != 0) text.Append(CultureInfo.InvariantCulture, $"{(text.Length == 0 ? "" : ",")}{at}:{choice}");
            at++;
        }

        return text.Length == 0 ? "0:0" : text.ToString();
    }

    public static Dictionary<int, int> Parse(string text) =>
        text.Split(',').Select(part => part.Split(':')).ToDictionary(
            part => int.Parse(part[0], CultureInfo.InvariantCulture), part => int.Parse(part[1], CultureInfo.InvariantCulture));
}

/// <summary>Every execution within the bounds, depth first.</summary>
internal sealed class DepthFirst : Choices
{
    private readonly List<(int Choice, int Count)> _path = [];
    private int _given; // of the path, to the execution

    protected override int Decide(int position, int count)
    {
        if (position == _path.Count) _path.Add((0, count));
        (int choice, int known) = _path[position];
        if (known != count) throw new InvalidOperationException($"The body is not deterministic: {known} ways, now {count}.");
        return choice;
    }

    public override bool Next()
    {
        int used = Taken.Count;
        base.Next();
        if (_path.Count > used) _path.RemoveRange(used, _path.Count - used);
        while (_path.Count > 0)
        {
            (int choice, int count) = _path[^1];
            _path.RemoveAt(_path.Count - 1);
            if (choice + 1 >= count) continue;
            _path.Add((choice + 1, count));
            _given = _path.Count;
            return true;
        }

        return false;
    }

    /// <summary>The same execution again: it was disturbed, and what it has added to the path may be wrong.</summary>
    public void Again()
    {
        _path.RemoveRange(_given, _path.Count - _given);
        base.Next();
    }
}

/// <summary>Probabilistic concurrency testing: threads have random priorities, which change at a few random steps.</summary>
/// <remarks>
/// Source: Burckhardt, Kothari, Musuvathi, Nagarakatte, "A Randomized Scheduler with Probabilistic Guarantees of Finding
/// Bugs" (2010).
/// </remarks>
internal sealed class Randomised(int seed, int changes, int length) : Choices
{
    private Random _random = new(seed);
    private int _run;
    private int[] _changesAt = [];
    private int _lowest;

    /// <summary>The length of executions, in decisions, as far as known.</summary>
    public int Length { get; set; } = length;

    public override bool Next()
    {
        _run++;
        Again();
        return true;
    }

    /// <summary>The same execution again: it was disturbed.</summary>
    public void Again()
    {
        base.Next();
        _random = new Random(unchecked(seed * 1_000_003 + _run));
        _changesAt = [.. Enumerable.Range(0, changes).Select(_ => _random.Next(Math.Max(1, Length)))];
        _lowest = 0;
    }

    public override void Created(ModelThread thread) => thread.Priority = _random.Next(1, 1 << 20);

    // What memory does is decided evenly but seldom: most loads are fresh, most stores are visible at once.
    protected override int Decide(int position, int count) => _random.Next(6) == 0 ? _random.Next(count) : 0;

    protected override int DecideThread(int position, ReadOnlySpan<ModelThread> threads, int count)
    {
        if (count > threads.Length && _random.Next(8) == 0) return threads.Length + _random.Next(count - threads.Length);
        if (threads.Length == 0) return 0;
        int best = Best(threads);
        if (Array.IndexOf(_changesAt, position) >= 0)
        {
            threads[best].Priority = --_lowest;
            best = Best(threads);
        }

        return best;
    }

    private static int Best(ReadOnlySpan<ModelThread> threads)
    {
        int best = 0;
        for (int i = 1; i < threads.Length; i++)
            if (threads[i].Priority > threads[best].Priority) best = i;
        return best;
    }
}

/// <summary>One execution, from its list of decisions.</summary>
internal sealed class Replay(Dictionary<int, int> choices) : Choices
{
    protected override int Decide(int position, int count) => Math.Min(choices.GetValueOrDefault(position), count - 1);
}
