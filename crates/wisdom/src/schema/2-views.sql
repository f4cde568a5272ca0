-- Views that 6-restrictions.sql replaces.

CREATE VIEW best_history AS
    SELECT p.key AS processor, r.problem AS problem, r.key AS run_key, b.*
    FROM best b JOIN run r ON r.id = b.run JOIN processor p ON p.id = r.processor;
CREATE VIEW best_now AS
    SELECT h.*, max(h.confirmed_ms) FROM best_history h GROUP BY h.processor, h.problem, h.size;
