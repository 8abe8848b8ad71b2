using Raceway.Rings;

namespace Raceway.Measuring;

/// <summary>Makes timelines of what stages had done at one moment after another.</summary>
/// <remarks>
/// However long it goes on, it keeps at most <paramref name="most"/> samples a stage: when there are so many, each two
/// become one, and from then on as many moments as make such a sample are one.
/// </remarks>
/// <param name="most">Samples a stage, 2 or more.</param>
public sealed class StageTimelines(int most = StageTimelines.DefaultMost)
{
    /// <summary>The most samples of a stage unless said otherwise: some are seen on any screen.</summary>
    public const int DefaultMost = 1_000;

    private readonly Dictionary<string, Line> _lines = [];

    /// <summary>Takes what the stages had done at <paramref name="at"/>, which is later than the last time.</summary>
    /// <param name="at">Since the run began.</param>
    /// <param name="stages">Their figures so far.</param>
    public void Add(TimeSpan at, IEnumerable<StageStatistics> stages)
    {
        foreach (StageStatistics done in stages)
        {
            if (_lines.TryGetValue(done.Name, out Line? line)) line.Add(at, done, most);
            else _lines.Add(done.Name, new Line(done));
        }
    }

    /// <summary>What has been seen so far, a timeline a stage; none where there was one moment only.</summary>
    /// <param name="caseName">The case.</param>
    /// <param name="contestant">The contestant that was measured.</param>
    public IReadOnlyList<ResultTimeline> ToResult(string caseName, string contestant) =>
    [
        .. _lines.Where(static pair => pair.Value.Samples.Any()).Select(pair => new ResultTimeline
        {
            Case = caseName,
            Contestant = contestant,
            Stage = pair.Key,
            Samples = [.. pair.Value.Samples],
        }),
    ];

    private sealed class Line(StageStatistics first)
    {
        private readonly List<TimelineSample> _samples = [];
        private StageStatistics _last = first;
        private int _moments = 1; // that make a sample
        private int _open;        // of them are in the last one

        public IEnumerable<TimelineSample> Samples => _samples;

        public void Add(TimeSpan at, StageStatistics now, int most)
        {
            TimelineSample sample = Between(_last, now, at);
            _last = now;
            if (_open > 0) _samples[^1] = Joined(_samples[^1], sample);
            else _samples.Add(sample);
            _open = (_open + 1) % _moments;
            if (_open != 0 || _samples.Count < most) return;
            for (int i = 0; i < _samples.Count / 2; i++) _samples[i] = Joined(_samples[2 * i], _samples[(2 * i) + 1]);
            int pairs = _samples.Count / 2;
            bool isOdd = _samples.Count % 2 != 0;
            if (isOdd) _samples[pairs] = _samples[^1];
            _samples.RemoveRange(pairs + (isOdd ? 1 : 0), _samples.Count - pairs - (isOdd ? 1 : 0));
            _open = isOdd ? _moments : 0;
            _moments *= 2;
        }

        // Figures of a snapshot are taken one after another, and a wait under way may be counted otherwise by the next.
        private static TimelineSample Between(StageStatistics then, StageStatistics now, TimeSpan at) => new(
            at.TotalSeconds,
            Since(then.Working, now.Working),
            Since(then.Starved, now.Starved),
            Since(then.Blocked, now.Blocked),
            Since(then.Waking, now.Waking),
            Math.Max(0, now.Items - then.Items),
            Math.Max(0, now.Batches - then.Batches),
            now.Lag);

        private static double Since(TimeSpan then, TimeSpan now) => Math.Max(0, (now - then).TotalSeconds);

        private static TimelineSample Joined(TimelineSample first, TimelineSample second) => new(
            second.At,
            first.Working + second.Working,
            first.Starved + second.Starved,
            first.Blocked + second.Blocked,
            first.Waking + second.Waking,
            first.Items + second.Items,
            first.Batches + second.Batches,
            second.Lag);
    }
}
