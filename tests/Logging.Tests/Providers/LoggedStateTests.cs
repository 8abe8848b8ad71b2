using System.Globalization;

namespace Raceway.Logging.Tests.Providers;

/// <summary>Which messages the writer formats: those of which it is known that they stay the same.</summary>
public sealed partial class LoggedStateTests : IDisposable
{
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void Stays_OfEachKindOfMessage()
    {
        var probe = new Probe();
        Assert.True(probe.Of(static logger => Plain(logger)));
        Assert.True(probe.Of(static logger => Values(logger, 1, "text", 2.5, Guid.Empty, DayOfWeek.Monday)));
        Assert.True(probe.Of(static logger => MaybeValue(logger, null)));
        Assert.False(probe.Of(static logger => AnObject(logger, new object())));
        Assert.False(probe.Of(static logger => AList(logger, [1, 2])));
        Assert.False(probe.Of(static logger => logger.LogInformation("Order {Id}", 7)));
        Assert.False(probe.Of(static logger => logger.Log(LogLevel.Information, default, "own", null, static (state, _) => state)));
    }

    /// <summary>A logger in between that passes its own formatter: that may use anything.</summary>
    [Fact]
    public void Stays_FormatterOfALoggerBetween_IsFalse_AlsoOnceTheOwnOneWasSeen()
    {
        var probe = new Probe();
        Assert.True(probe.Of(static logger => Values(logger, 1, "text", 2.5, Guid.Empty, DayOfWeek.Monday)));
        Assert.False(probe.Of(static logger => Values(new Between(logger), 1, "text", 2.5, Guid.Empty, DayOfWeek.Monday)));
        Assert.True(probe.Of(static logger => Values(logger, 1, "text", 2.5, Guid.Empty, DayOfWeek.Monday)));
    }

    [Theory]
    [InlineData(LogFormat.Text)]
    [InlineData(LogFormat.Json)]
    public void Entries_FormattedLater_AreThoseThatTheCallerWouldHaveFormatted(LogFormat format)
    {
        string[][] lines = new string[2][];
        for (int i = 0; i < 2; i++)
        {
            string name = $"{i}.log";
            var options = new RacewayFileLoggerOptions { Path = _folder.File(name), Format = format, Time = new VirtualTime() };
            if (i == 1) options.Formatter = new OfTheCaller(format);
            using (var provider = new RacewayFileLoggerProvider(options))
            {
                ILogger logger = provider.CreateLogger("Shop.Orders");
                Values(logger, 42, "a \"text\"", -2.5, Guid.AllBitsSet, DayOfWeek.Friday);
                MaybeValue(logger, null);
                MaybeValue(logger, 7);
                Plain(logger);
                AList(logger, [1, 2, 3]);
            }

            lines[i] = _folder.Lines(name);
        }

        Assert.Equal(5, lines[0].Length);
        Assert.Equal(lines[1], lines[0]);
    }

    /// <summary>The clock is asked for its zone where an entry is formatted.</summary>
    [Fact]
    public void Entries_AreFormattedByTheWriter_WhereNothingCanDiffer()
    {
        var time = new ZoneNotes();
        var options = new RacewayFileLoggerOptions { Path = _folder.File(), LocalTime = true, Time = time, MaxEntryBytes = 256 };
        using var provider = new RacewayFileLoggerProvider(options);
        ILogger logger = provider.CreateLogger("Shop");
        Assert.NotEqual(Environment.CurrentManagedThreadId, ThreadOf(() => MaybeValue(logger, 1)));
        Assert.NotEqual(Environment.CurrentManagedThreadId, ThreadOf(() => Named(logger, new string('x', 256), "y")));
        Assert.Equal(Environment.CurrentManagedThreadId, ThreadOf(() => Named(logger, "y", new string('x', 257))));
        Assert.Equal(Environment.CurrentManagedThreadId, ThreadOf(() => AList(logger, [1])));
        Assert.Equal(Environment.CurrentManagedThreadId, ThreadOf(() => Failed(logger, new InvalidOperationException("broken"), 7)));
        Assert.Contains(_folder.Lines(), static line => line.Contains("InvalidOperationException: broken", StringComparison.Ordinal));

        int ThreadOf(Action log)
        {
            time.Next();
            log();
            Assert.True(provider.File.Flush());
            return time.Thread;
        }
    }

    [Fact]
    public void Entries_OfACallerWithAnotherCulture_AreTheSame()
    {
        CultureInfo before = CultureInfo.CurrentCulture;
        var other = (CultureInfo)CultureInfo.InvariantCulture.Clone();
        (other.NumberFormat.NumberDecimalSeparator, other.NumberFormat.NegativeSign) = (",", "~");
        CultureInfo.CurrentCulture = other;
        try
        {
            using (var provider = new RacewayFileLoggerProvider(new RacewayFileLoggerOptions { Path = _folder.File(), Time = new VirtualTime() }))
            {
                ILogger logger = provider.CreateLogger("Shop");
                Values(logger, -42, "text", -2.5, Guid.Empty, DayOfWeek.Monday);
                // Formatted by this thread.
                Failed(logger, new InvalidOperationException("broken"), -7);
            }
        }
        finally
        {
            CultureInfo.CurrentCulture = before;
        }

        string[] lines = _folder.Lines();
        Assert.EndsWith($"Order -42 of text weighs -2.5 as {Guid.Empty} on Monday", lines[0], StringComparison.Ordinal);
        Assert.EndsWith("Order -7 failed", lines[1], StringComparison.Ordinal);
    }

    /// <summary>Scopes are the caller's, so that it formats.</summary>
    [Fact]
    public void Entries_WithScopes_HaveThoseOfTheCall()
    {
        var options = new RacewayFileLoggerOptions { Path = _folder.File(), IncludeScopes = true, Time = new VirtualTime() };
        var scopes = new LoggerExternalScopeProvider();
        using (var provider = new RacewayFileLoggerProvider(options))
        {
            provider.SetScopeProvider(scopes);
            ILogger logger = provider.CreateLogger("Shop");
            using (logger.BeginScope("request 1")) MaybeValue(logger, 1);
            MaybeValue(logger, 2);
        }

        Assert.Equal(
            ["1970-01-01 00:00:00.000Z INF Shop[3] => request 1: Weight 1", "1970-01-01 00:00:00.000Z INF Shop[3]: Weight 2"], _folder.Lines());
    }

    [LoggerMessage(1, LogLevel.Information, "Nothing else")]
    private static partial void Plain(ILogger logger);

    [LoggerMessage(2, LogLevel.Information, "Order {Id} of {Name} weighs {Weight:F1} as {Key} on {Day}")]
    private static partial void Values(ILogger logger, int id, string name, double weight, Guid key, DayOfWeek day);

    [LoggerMessage(3, LogLevel.Information, "Weight {Weight}")]
    private static partial void MaybeValue(ILogger logger, int? weight);

    [LoggerMessage(4, LogLevel.Information, "Thing {Thing}")]
    private static partial void AnObject(ILogger logger, object thing);

    [LoggerMessage(5, LogLevel.Information, "Things {Things}")]
    private static partial void AList(ILogger logger, List<int> things);

    [LoggerMessage(6, LogLevel.Information, "Of {Name} and {Other}")]
    private static partial void Named(ILogger logger, string name, string other);

    [LoggerMessage(7, LogLevel.Error, "Order {Id} failed")]
    private static partial void Failed(ILogger logger, Exception exception, int id);

    /// <summary>Says which thread asked for the local time zone last. Its seconds differ from entry to entry, so that each one asks.</summary>
    private sealed class ZoneNotes : TimeProvider
    {
        private int _thread;
        private long _seconds;

        public int Thread => Volatile.Read(ref _thread);

        public override TimeZoneInfo LocalTimeZone
        {
            get
            {
                Volatile.Write(ref _thread, Environment.CurrentManagedThreadId);
                return TimeZoneInfo.Utc;
            }
        }

        public void Next()
        {
            Interlocked.Increment(ref _seconds);
            Volatile.Write(ref _thread, 0);
        }

        public override DateTimeOffset GetUtcNow() => DateTimeOffset.UnixEpoch.AddSeconds(Interlocked.Read(ref _seconds));
    }

    /// <summary>Asks of each message that it gets.</summary>
    private sealed class Probe : ILogger
    {
        private bool? _stays;

        public bool Of(Action<ILogger> log)
        {
            _stays = null;
            log(this);
            return Assert.NotNull(_stays);
        }

        public bool IsEnabled(LogLevel logLevel) => true;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            _stays = LoggedState<TState>.Stays(formatter);
    }

    private sealed class Between(ILogger inner) : ILogger
    {
        public bool IsEnabled(LogLevel logLevel) => true;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            inner.Log(logLevel, eventId, state, exception, (logged, cause) => $"{Environment.CurrentManagedThreadId}: {formatter(logged, cause)}");
    }

    /// <summary>A formatter of the user's: it is called by the thread that logs.</summary>
    private sealed class OfTheCaller(LogFormat format) : EntryFormatter
    {
        private readonly int _thread = Environment.CurrentManagedThreadId;

        public override void Write<TState>(
            in Microsoft.Extensions.Logging.Abstractions.LogEntry<TState> entry, IExternalScopeProvider? scopes, EntryWriter writer)
        {
            Assert.Equal(_thread, Environment.CurrentManagedThreadId);
            (format == LogFormat.Text ? Text : Json).Write(in entry, scopes, writer);
        }
    }
}
