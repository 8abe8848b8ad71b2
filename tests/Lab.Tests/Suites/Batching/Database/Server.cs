using System.Diagnostics;
using Npgsql;

namespace Raceway.Lab.Tests.Suites.Batching.Database;

/// <summary>The PostgreSQL server that `postgres.sh with …` has started, for what is done to it while a test runs.</summary>
internal static class Server
{
    /// <summary>One of its tests at a time: what is done to the server is done to all of them.</summary>
    public const string Collection = "PostgreSQL";

    // Not by the path of this file, which a build for CI does not keep.
    private static readonly string s_script = Path.Combine(Tree.Root, "bench", "Suites", "Batching", "Database", "postgres.sh");

    /// <summary>Why there is none, where there is none. Tests stop it, so it has to be the script's own.</summary>
    public static string? Missing { get; } =
        Environment.GetEnvironmentVariable("RACEWAY_POSTGRES") is { Length: > 0 } && Environment.GetEnvironmentVariable("RACEWAY_POSTGRES_BASE") is { Length: > 0 }
            ? null
            : "not run: it needs PostgreSQL, by bench/Suites/Batching/Database/postgres.sh with dotnet test …";

    public static string ConnectionString => Environment.GetEnvironmentVariable("RACEWAY_POSTGRES")!;

    public static void Start() => Run("start");

    public static void Stop() => Run("stop");

    /// <summary>Ends it as a crash would.</summary>
    public static void Kill() => Run("kill");

    /// <summary>Leaves it as the next test expects it, whatever a test has done.</summary>
    public static void Restore()
    {
        // Connections from before a restart are of no use.
        NpgsqlConnection.ClearAllPools();
        try
        {
            Execute("SELECT 1");
        }
        catch (NpgsqlException)
        {
            Start();
        }

        SetStandbys(null);
    }

    /// <summary>With a standby that is not there, commits are written and never acknowledged. Returns when the first of them waits.</summary>
    public static void SetStandbys(string? names)
    {
        Execute(names is null ? "ALTER SYSTEM RESET synchronous_standby_names" : $"ALTER SYSTEM SET synchronous_standby_names = '{names}'");
        Execute("SELECT pg_reload_conf()");
        if (names is null) return;
        // The server reads its settings some time later. Until then commits are acknowledged.
        Assert.True(SpinWait.SpinUntil(HoldsACommit, TimeSpan.FromMinutes(1)), $"No commit waits for the standby '{names}'.");
    }

    // Tries it with a commit of its own, and ends that one. A commit waits only if it has written something.
    private static bool HoldsACommit()
    {
        using var connection = new NpgsqlConnection($"{ConnectionString};Pooling=false");
        connection.Open();
        int backend = connection.ProcessID;
        using var command = new NpgsqlCommand("SELECT pg_logical_emit_message(true, 'raceway', '')", connection);
        // Ends by the command's own limit, where neither comes.
        Task<int> commit = command.ExecuteNonQueryAsync();
        while (!commit.IsCompleted)
        {
            if (!Waiting("SyncRep").Contains(backend)) continue;
            Terminate(backend);
            Assert.ThrowsAny<NpgsqlException>(() => commit.GetAwaiter().GetResult());
            return true;
        }

        commit.GetAwaiter().GetResult();
        return false;
    }

    /// <summary>The other backends that wait for this: <c>relation</c> is a lock of a table, <c>SyncRep</c> the standbys.</summary>
    public static IReadOnlyList<int> Waiting(string what)
    {
        using NpgsqlConnection connection = Open();
        using var query = new NpgsqlCommand("SELECT pid FROM pg_stat_activity WHERE wait_event = $1 AND pid <> pg_backend_pid()", connection)
        {
            Parameters = { new() { Value = what } },
        };
        using NpgsqlDataReader rows = query.ExecuteReader();
        List<int> found = [];
        while (rows.Read()) found.Add(rows.GetInt32(0));
        return found;
    }

    /// <summary>Ends a backend, and with it the connection that it serves.</summary>
    public static void Terminate(int backend) => Execute($"SELECT pg_terminate_backend({backend}, 300000)");

    public static void Execute(string text)
    {
        using NpgsqlConnection connection = Open();
        using var command = new NpgsqlCommand(text, connection);
        command.ExecuteNonQuery();
    }

    /// <summary>A connection beside those of the code under test, which no commit keeps waiting.</summary>
    public static NpgsqlConnection Open()
    {
        var connection = new NpgsqlConnection($"{ConnectionString};Pooling=false;Options=-c synchronous_commit=local");
        connection.Open();
        return connection;
    }

    private static void Run(string what)
    {
        using Process process = Process.Start("bash", [s_script, what]);
        Assert.True(process.WaitForExit(TimeSpan.FromMinutes(10)), $"Hung: postgres.sh {what}");
        Assert.Equal(0, process.ExitCode);
    }
}
