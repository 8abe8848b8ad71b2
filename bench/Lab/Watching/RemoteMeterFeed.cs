using System.Collections.Concurrent;
using System.Diagnostics.Tracing;
using System.Globalization;
using Microsoft.Diagnostics.NETCore.Client;
using Microsoft.Diagnostics.Tracing;
using Raceway.Lab.Cli;
using Raceway.Pipelines;

namespace Raceway.Lab.Watching;

/// <summary>The meters of another process of this user, by its diagnostics port: nothing listens on a network.</summary>
/// <remarks>
/// The process' own event source <c>System.Diagnostics.Metrics</c> collects once an interval and says what it has found. Its
/// session is the shared one, which other tools may use at the same time; all of them have the same interval then.
/// </remarks>
internal sealed class RemoteMeterFeed : IMeterFeed
{
    private const string Provider = "System.Diagnostics.Metrics";
    private const string SharedSession = "SHARED";

    // Of the keywords of that source the one for figures.
    private const long TimeSeriesValues = 2;

    // What dotnet-counters asks for. A shared session refuses other values.
    private const string MostSeries = "1000";
    private const string MostHistograms = "10";

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(10);

    private readonly BlockingCollection<MeterFrame> _frames = [];
    private readonly WatchTarget _target;
    private readonly EventPipeSession _session;
    private readonly TimeSpan _patience;
    private readonly string _client;
    private readonly Thread _reader;
    private List<MeterFigure> _figures = [];
    private double? _firstAt;
    private volatile string? _refusal;
    private volatile bool _isStopped;
    private volatile bool _hasEnded;

    private RemoteMeterFeed(WatchTarget target, EventPipeSession session, string client, TimeSpan patience)
    {
        (_target, _session, _client, _patience) = (target, session, client, patience);
        _reader = new Thread(Read) { IsBackground = true, Name = "watch" };
        _reader.Start();
    }

    /// <inheritdoc/>
    public string Target => _target.ToString();

    /// <inheritdoc/>
    public string? Ending => !_frames.IsCompleted ? null
        : _hasEnded ? $"Process {_target.Id} has ended." : $"Process {_target.Id} says no more.";

    /// <summary>Begins to listen to <paramref name="target"/>.</summary>
    /// <exception cref="ToolException">It cannot be watched.</exception>
    /// <exception cref="OperationCanceledException">It was cancelled.</exception>
    public static RemoteMeterFeed Attach(WatchTarget target, TimeSpan interval, CancellationToken cancellation)
    {
        string client = Guid.NewGuid().ToString();
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(cancellation);
        limit.CancelAfter(s_patience);
        try
        {
            EventPipeSession session = new DiagnosticsClient(target.Id)
                .StartEventPipeSessionAsync([ProviderOf(client, interval)], requestRundown: false, circularBufferMB: 16, limit.Token)
                .GetAwaiter().GetResult();
            return new RemoteMeterFeed(target, session, client, patience: s_patience + interval);
        }
        catch (OperationCanceledException) when (!cancellation.IsCancellationRequested)
        {
            throw new ToolException(
                $"Process {target.Id} has not answered within {s_patience.TotalSeconds:0} s: it may be stopped, or busy. Try again.", ExitCode.Failed);
        }
        catch (Exception error) when (error is DiagnosticsClientException or IOException or UnauthorizedAccessException or TimeoutException)
        {
            throw new ToolException(
                $"Process {target.Id} cannot be watched: {error.Message} It must be a .NET process of this user, with diagnostics on.",
                ExitCode.Usage, error);
        }
    }

    /// <inheritdoc/>
    public MeterFrame? Next(CancellationToken cancellation)
    {
        bool isThere = _frames.TryTake(out MeterFrame? frame, (int)_patience.TotalMilliseconds, cancellation);
        if (_refusal is { } refusal) throw new ToolException(refusal, ExitCode.Failed);
        if (isThere || _frames.IsCompleted) return frame;
        throw new ToolException($"Process {_target.Id} has said nothing for {_patience.TotalSeconds:0} s: it may be stopped.", ExitCode.Failed);
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _isStopped = true;
        try
        {
            // Otherwise it goes on collecting without a reader.
            using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(2));
            _session.StopAsync(limit.Token).GetAwaiter().GetResult();
        }
        catch (Exception e) when (e is DiagnosticsClientException or IOException or OperationCanceledException or TimeoutException)
        {
            // It has ended, or does not answer: its end of the session goes with it.
        }

        _session.Dispose();
        // The stream is closed: the reader ends, and needs the collection until then.
        if (_reader.Join(TimeSpan.FromSeconds(2))) _frames.Dispose();
    }

    private static EventPipeProvider ProviderOf(string client, TimeSpan interval) => new(
        Provider,
        EventLevel.Informational,
        TimeSeriesValues,
        new Dictionary<string, string>
        {
            ["SessionId"] = SharedSession,
            ["ClientId"] = client,
            ["Metrics"] = string.Join(
                ',',
                WatchedInstruments.OfRuntime.Select(static name => $"{WatchedInstruments.RuntimeMeter}\\{name}").Prepend(PipelineMeter.MeterName)),
            ["RefreshInterval"] = interval.TotalSeconds.ToString(CultureInfo.InvariantCulture),
            ["MaxTimeSeries"] = MostSeries,
            ["MaxHistograms"] = MostHistograms,
        });

    private void Read()
    {
        try
        {
            using var source = new EventPipeEventSource(_session.EventStream);
            source.Dynamic.All += Note;
            source.Process();
        }
        catch (Exception)
        {
            // A stream that ends in the middle of an event, or is closed here, is the end like any other: the library's
            // parser tells it by exceptions of all sorts.
        }
        finally
        {
            // Its port closes a moment before it is gone.
            _hasEnded = !_isStopped && _target.EndsWithin(TimeSpan.FromSeconds(1));
            _frames.CompleteAdding();
        }
    }

    private void Note(TraceEvent happened)
    {
        string Text(string field) => happened.PayloadByName(field)?.ToString() ?? "";
        if (happened.ProviderName != Provider) return;
        // An event that begins or ends something has a stroke in its name here.
        switch (happened.EventName.Replace("/", "", StringComparison.Ordinal))
        {
            case "CounterRateValuePublished" or "UpDownCounterRateValuePublished":
                Add("value");
                break;
            case "GaugeValuePublished":
                Add("lastValue");
                break;
            case "CollectionStop" when Text("sessionId") == SharedSession:
                _firstAt ??= happened.TimeStampRelativeMSec;
                _frames.Add(new MeterFrame(TimeSpan.FromMilliseconds(happened.TimeStampRelativeMSec - _firstAt.Value), _figures));
                _figures = [];
                break;
            case "TimeSeriesLimitReached":
                Refuse($"Process {_target.Id} publishes more than {MostSeries} series: some would be missing. Watch fewer pipelines at a time.");
                break;
            case "MultipleSessionsNotSupportedError":
                Refuse($"Another tool watches process {_target.Id} and does not share it. End that one.");
                break;
            case "MultipleSessionsConfiguredIncorrectlyError" when Text("clientId") == _client:
                Refuse($"Another tool watches process {_target.Id} every {Text("expectedRefreshInterval")} s. Give --interval the same, or end that one.");
                break;
            case "Error" when Text("sessionId") == SharedSession:
                Refuse($"Process {_target.Id} cannot tell its figures: {Text("errorMessage")}");
                break;
        }

        void Add(string field)
        {
            string instrument = Text("instrumentName");
            if (WatchedInstruments.IsWatched(Text("meterName"), instrument)
                && double.TryParse(Text(field), NumberStyles.Float, CultureInfo.InvariantCulture, out double value))
            {
                _figures.Add(new MeterFigure(instrument, WatchedInstruments.ParseTags(Text("tags")), value));
            }
        }
    }

    private void Refuse(string why)
    {
        _refusal = why;
        // The thread that waits for a frame is told at once.
        _frames.Add(new MeterFrame(TimeSpan.Zero, []));
    }
}
