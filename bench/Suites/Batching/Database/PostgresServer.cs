using Npgsql;

namespace Raceway.Suites.Batching.Database;

/// <summary>The PostgreSQL server that is measured: the one that an environment variable names.</summary>
internal static class PostgresServer
{
    /// <summary>The variable with its connection string, as Npgsql takes it.</summary>
    public const string Variable = "RACEWAY_POSTGRES";

    private static readonly Lazy<string?> s_missing = new(Try);

    /// <summary>Why there is no server, or <see langword="null"/> if there is one. It is looked for when this is first asked.</summary>
    public static string? Missing => s_missing.Value;

    /// <summary>The connection string.</summary>
    /// <exception cref="InvalidOperationException">The variable is not set.</exception>
    public static string ConnectionString => Setting
        ?? throw new InvalidOperationException($"A server must be named: {Variable} is not set. Check {nameof(Missing)} before.");

    private static string? Setting => Environment.GetEnvironmentVariable(Variable) is { Length: > 0 } given ? given : null;

    private static string? Try()
    {
        if (Setting is not { } given) return "needs PostgreSQL: run the command in bench/Suites/Batching/Database/postgres.sh with …";
        try
        {
            using var connection = new NpgsqlConnection(given);
            connection.Open();
            return null;
        }
        catch (Exception fault) when (fault is NpgsqlException or ArgumentException)
        {
            return $"no connection to the server that {Variable} names: {fault.Message}";
        }
    }
}
